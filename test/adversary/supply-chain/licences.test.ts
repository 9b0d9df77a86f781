import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { functionFiles, sourceExistsIn } from '../../../infra/function-files.js';
import { lockedPackages } from '../../../scripts/agent-binaries/sbom.js';
import { jsonOf, root } from './repository-files.js';

// All shipped code has a licence that allows redistribution without conditions on our code.

const shippable = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];
/** Licences with conditions on redistribution, allowed for tools of the build machine only. */
const forTools = [...shippable, 'MPL-2.0', 'MIT OR Apache-2.0', '(MIT OR GPL-3.0-or-later)'];

const Package = z.object({
  name: z.string(),
  license: z.optional(z.union([z.string(), z.object({ type: z.string() })])),
  licenses: z.optional(z.array(z.object({ type: z.string() }))),
});

/** As the package says itself, also in the two older ways. */
function licenceOf(folder: string): string {
  const { license, licenses } = Package.parse(jsonOf(join(folder, 'package.json')));
  const said = typeof license === 'object' ? license.type : license;
  return said ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none';
}

/** The folders of the packages from which a bundle takes something. */
let bundled: ReadonlyMap<string, readonly string[]>;

async function packagesIn(entryPoints: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    // One bundle of all: only what goes into it is looked at.
    stdin: { contents: entryPoints.map((path) => `import './${path}';`).join('\n'), resolveDir: root },
    bundle: true,
    write: false,
    outdir: 'none',
    metafile: true,
    platform: entryPoints.some((path) => path.startsWith('web/')) ? 'browser' : 'node',
    format: 'esm',
    loader: { '.node': 'empty', '.svg': 'empty' },
    external: ['*.node'],
    logLevel: 'silent',
  });
  const folders = Object.keys(metafile.inputs).flatMap((path) => {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    return folder ? [folder] : [];
  });
  return [...new Set(folders)];
}

beforeAll(async () => {
  const functions = functionFiles.filter(sourceExistsIn(root)).map((name) => `lambdas/${name}.ts`);
  bundled = new Map([
    ['the functions', await packagesIn(functions)],
    ['the agent', await packagesIn(['agent/src/main.ts'])],
    ['the console', await packagesIn(['web/src/app/main.tsx', 'web/src/main.css'])],
  ]);
});

describe.each(['the functions', 'the agent', 'the console'])('what is bundled into %s', (what) => {
  it('has a licence that is on the list', () => {
    const folders = bundled.get(what) ?? [];
    expect(folders.length).toBeGreaterThan(what === 'the console' ? 5 : 10);
    expect(folders.filter((folder) => !shippable.includes(licenceOf(folder)))).toEqual([]);
  });
});

it('has a licence that is on the list for what the node image gets beside the agent', () => {
  for (const name of ['@devcontainers/cli', '@lydell/node-pty', 'node'])
    expect(shippable, name).toContain(licenceOf(join('node_modules', name)));
  // The CLI comes as one bundle: what it was made from is not in its folder.
  const inside = join(root, 'node_modules/@devcontainers/cli/node_modules');
  expect(existsSync(inside) ? readdirSync(inside) : []).toEqual([]);
});

it('has a known licence for every package that is installed', () => {
  const unknown = lockedPackages().filter(({ name, license, version }) => {
    const licence =
      license ?? (existsSync(join(root, 'node_modules', name)) ? licenceOf(join('node_modules', name)) : '');
    return !forTools.includes(licence) && !known.includes(`${name}@${version}`);
  });
  expect(unknown.map(({ name, version }) => `${name}@${version}`)).toEqual([]);
});

/** Optional native parts that are not installed and say their licence (MIT) in the older way. */
const known: readonly string[] = ['buildcheck@0.0.7', 'cpu-features@0.0.10'];
