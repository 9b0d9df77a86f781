import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { type PinnedPackage, platforms } from './platforms.js';
import type { Release } from './release.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const Locked = z.object({
  version: z.string(),
  license: z.optional(z.string()),
  integrity: z.optional(z.string()),
  dev: z.optional(z.boolean()),
});
type Locked = z.infer<typeof Locked>;

const Lock = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), z.looseObject({})),
});

/** The packages of package-lock.json by name and version. */
export function lockedPackages(): readonly (Locked & { readonly name: string })[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      ...Locked.parse(entry),
    }));
}

interface EnginePackage {
  readonly name: string;
  readonly version: string;
}

/** The packages of the container engine that the node image gets, as ami/engine.sh pins them. */
export function enginePackages(): readonly EnginePackage[] {
  const script = readFileSync(join(root, 'ami/engine.sh'), 'utf8');
  const list = /^docker_packages=\(\n([\s\S]*?)^\)/m.exec(script)?.[1] ?? '';
  return [...list.matchAll(/^\s*([\w.-]+)=(\S+)$/gm)].map(([, name = '', version = '']) => ({
    name,
    version,
  }));
}

const npmUrl = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function npmComponent({ name, version, license, integrity }: Locked & { readonly name: string }) {
  const sha512 = integrity?.startsWith('sha512-') ? integrity.slice('sha512-'.length) : undefined;
  return {
    type: 'library',
    name,
    version,
    purl: npmUrl(name, version),
    ...(license ? { licenses: [{ expression: license }] } : {}),
    ...(sha512
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] }
      : {}),
  };
}

const pinned = ({ name, version, integrity }: PinnedPackage) => npmComponent({ name, version, integrity });

/**
 * What a release is made of, as CycloneDX 1.5: the packages of the lock file, the runtimes and
 * native parts in the agent's binaries, and the engine of the node image. No time and no serial
 * number: a repeat gives the same text.
 */
export function sbomOf({ id }: Release, agentVersion: string) {
  const components = [
    ...lockedPackages().map(npmComponent),
    ...platforms.flatMap(({ node, packer, pty }) => [node, packer, pty]).map(pinned),
    ...enginePackages().map(({ name, version }) => ({
      type: 'application',
      name,
      version,
      purl: `pkg:deb/docker/${name}@${encodeURIComponent(version)}`,
    })),
  ];
  const once = new Map(components.map((component) => [component.purl, component]));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { type: 'application', name: 'berth', version: agentVersion, 'bom-ref': `berth@${id}` },
    },
    components: [...once.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
}
