import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { jsonOf, textOf } from './repository-files.js';

// Attack: other code in an installation, by a changed lock file or by an install script.

const Dependencies = z._default(z.record(z.string(), z.string()), {});
const Entry = z.object({
  version: z.optional(z.string()),
  resolved: z.optional(z.string()),
  integrity: z.optional(z.string()),
  link: z.optional(z.boolean()),
  /** It is inside the archive of the package above it, whose integrity covers it. */
  inBundle: z.optional(z.boolean()),
  hasInstallScript: z.optional(z.boolean()),
  dependencies: Dependencies,
  devDependencies: Dependencies,
});
const lockOf = (file: string) =>
  z.object({ lockfileVersion: z.int(), packages: z.record(z.string(), Entry) }).parse(jsonOf(file));
const lock = lockOf('package-lock.json');
const manifest = z
  .object({
    dependencies: Dependencies,
    devDependencies: Dependencies,
    allowScripts: z.record(z.string(), z.boolean()),
  })
  .parse(jsonOf('package.json'));

const { '': top, ...others } = lock.packages;
const installed = Object.entries(others);
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe.each(['package-lock.json', 'test/mcp-tools/package-lock.json'])('%s', (file) => {
  const { '': _top, ...packages } = lockOf(file).packages;
  const installed = Object.entries(packages);

  it('names the bytes of every package', () => {
    const unnamed = installed.filter(
      ([, { integrity, inBundle }]) => !inBundle && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
    );
    expect(unnamed).toEqual([]);
  });

  it('has nothing bundled into a package whose own bytes are not named', () => {
    const homeless = installed.filter(([path, { inBundle }]) => {
      if (!inBundle) return false;
      const holder = installed.find(
        ([other, entry]) => path.startsWith(`${other}/node_modules/`) && entry.integrity !== undefined,
      );
      return holder === undefined;
    });
    expect(homeless).toEqual([]);
  });

  it('takes packages from the registry alone: no repository, archive, folder or link', () => {
    const foreign = installed.filter(
      ([, { version = '', resolved, link }]) =>
        link || resolved !== undefined || !/^\d+\.\d+\.\d+/.test(version),
    );
    expect(foreign).toEqual([]);
  });
});

describe('the lock file', () => {
  it('agrees with package.json', () => {
    expect(lock.lockfileVersion).toBe(3);
    expect(top?.dependencies).toEqual(manifest.dependencies);
    expect(top?.devDependencies).toEqual(manifest.devDependencies);
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version);
  });
});

describe('package.json', () => {
  it('pins each version exactly', () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('decides for every package that would run a script at its installation', () => {
    const scripted = installed.flatMap(([path, entry]) => (entry.hasInstallScript ? [nameOf(path)] : []));
    expect(scripted.toSorted()).toEqual(Object.keys(manifest.allowScripts).toSorted());
  });

  it('allows scripts to the two packages that need them', () => {
    const allowed = Object.entries(manifest.allowScripts).filter(([, may]) => may);
    expect(allowed.map(([name]) => name).toSorted()).toEqual(['esbuild', 'node']);
  });
});

it('installs the emulator by hashes alone', () => {
  const lines = textOf('local/requirements.txt').replaceAll('\\\n', ' ').split('\n');
  const wanted = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));

  expect(wanted.length).toBeGreaterThan(3);
  for (const line of wanted)
    expect(line).toMatch(/^[\w.[\]-]+==[\w.]+ (?:; .*?)?(?:\s*--hash=sha256:[0-9a-f]{64})+\s*$/);
  expect(textOf('scripts/install.mjs')).toContain("'--require-hashes'");
});
