import { describe, expect, it } from 'vitest';
import { platforms } from '../../../scripts/agent-binaries/platforms.js';
import { enginePackages } from '../../../scripts/agent-binaries/sbom.js';
import { filesBelow, textOf } from './repository-files.js';

// A build or a bake fetches something that nobody has looked at.

const scripts = filesBelow('scripts', 'ami', '.ci', 'local', 'agent/src').filter(
  (path) => !/\.test\.ts$/.test(path) && /\.(?:sh|mjs|ts|py|hcl)$|^\.ci\/|^ami\/files\//.test(path),
);

/** Commands that download, and the files that may use them, with the reason. */
const fetching = [
  /\b(?:curl|wget)\s+(?:-|http|"\$)/,
  /\bnpx\s+(?:-y|--yes)\b/,
  /\bnpm\s+(?:i|install|exec)\s+(?:-g\s+|--global\s+)?[@a-z]/,
  /\bpip3?\s+install\b/,
  /\bgit\s+clone\s+http/,
  /\bapt-helper\s+download-file\b/,
  /\bdebootstrap\s+--/,
  /\bdocker\s+pull\b/,
];
const allowed: Readonly<Record<string, string>> = {
  'ami/engine.sh': 'the key of Docker’s packages, believed only with the fingerprint that is named beside it',
  'agent/src/harness/installer.ts':
    'an agent that a person has chosen, in one version, into the container of their own workspace',
  'local/welcome.ts': 'a message to the person, of calls to their own machine',
  'ami/bake.sh': 'the image that the operator names with WORKSPACE_IMAGE',
  'scripts/base-image.sh': 'Debian packages, which the distribution signs',
  'scripts/requirements.mjs': 'a message to the person',
};

describe('a script', () => {
  it('fetches nothing that is not pinned, signed or named by the operator', () => {
    expect(scripts.length).toBeGreaterThan(100);
    const found = scripts.filter((path) =>
      textOf(path)
        .split('\n')
        .filter((line) => !/^\s*(?:#|\/\/|\*|\/\*)/.test(line))
        .some((line) => fetching.some((pattern) => pattern.test(line))),
    );
    expect(found.filter((path) => allowed[path] === undefined)).toEqual([]);
  });

  it('pipes nothing that it fetches into a shell', () => {
    const found = scripts.filter((path) => /(?:curl|wget)[^\n|]*\|\s*(?:ba)?sh\b/.test(textOf(path)));
    expect(found).toEqual([]);
  });
});

describe('the runtimes in the agent’s binaries', () => {
  it('are pinned by version and bytes', () => {
    for (const { node, packer, pty } of platforms)
      for (const { name, version, integrity } of [node, packer, pty]) {
        expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
        expect(integrity, name).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
      }
  });

  it('of a Linux node are those of the lock file’s Node, so that one upgrade reaches all', () => {
    const { devDependencies } = JSON.parse(textOf('package.json')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const linux = platforms.filter(({ os }) => os === 'linux');
    expect(linux.map(({ node }) => node.version)).toEqual(linux.map(() => devDependencies.node));
  });
});

describe('the container engine of the node image', () => {
  const script = textOf('ami/engine.sh');
  const least = (name: string) => new RegExp(`^least_${name}=([\\d.]+)$`, 'm').exec(script)?.[1] ?? '0';
  const atLeast = (found: string, wanted: string) =>
    found.localeCompare(wanted, 'en', { numeric: true }) >= 0;

  it('is Docker’s own, each package in one version', () => {
    expect(enginePackages().map(({ name }) => name)).toEqual([
      'docker-ce',
      'docker-ce-cli',
      'containerd.io',
      'docker-buildx-plugin',
      'docker-compose-plugin',
    ]);
    for (const { name, version } of enginePackages()) expect(version, name).toMatch(/^(?:\d:)?\d+\.\d+/);
  });

  it('is not older than what is free of the known escapes', () => {
    const [engine] = enginePackages();
    expect(atLeast(engine?.version.replace(/^\d:/, '') ?? '', least('engine'))).toBe(true);
    expect(atLeast(least('engine'), '28')).toBe(true);
    // Container escapes by /dev/null and /dev/console: CVE-2025-31133, -52565 and -52881.
    expect(atLeast(least('runc'), '1.2.8')).toBe(true);
    expect(script).toContain('at_least engine "$least_engine"');
    expect(script).toContain('at_least runc "$least_runc"');
  });

  it('is believed only with the key that is named', () => {
    expect(script).toMatch(/^docker_key_fingerprint=[0-9A-F]{40}$/m);
    expect(script).toContain('signed-by=$key');
    expect(textOf('ami/bake.sh')).not.toMatch(/allow-unauthenticated|trusted=yes|--no-check/);
  });
});
