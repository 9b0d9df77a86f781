import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, type BuildResult, build } from 'esbuild';
import { ownSourceMap } from './own-source-map.js';

const root = join(import.meta.dirname, '../..');
/** Where metafiles place bundles. */
const bundlesFolder = join(root, 'dist/lambdas');

const options = {
  absWorkingDir: root,
  outdir: bundlesFolder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // ES modules of the SDK shake better than its CommonJS half.
  mainFields: ['module', 'main'],
  // The CommonJS packages in a bundle still call require for node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
} as const satisfies BuildOptions;

export interface BundleSize {
  readonly name: string;
  readonly kb: number;
}

/**
 * Bundles the functions, each to `<outdir>/<name>/index.mjs` with a map of our own lines, and gives
 * the size of each bundle without its map.
 */
export async function bundleFunctions(
  names: readonly string[],
  { root: sources = root, outdir }: { readonly root?: string; readonly outdir: string },
): Promise<readonly BundleSize[]> {
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: sources,
    outdir,
    entryPoints: entryPoints(names),
    sourcemap: 'linked',
    sourcesContent: false,
    alias: aliases(sources),
  });
  const sizes = outputFiles.map(async ({ path, contents, text }) => {
    const isMap = path.endsWith('.map');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, isMap ? ownSourceMap(text) : contents);
    return isMap ? [] : [{ name: nameOf(relative(outdir, path)), kb: Math.ceil(contents.length / 1024) }];
  });
  return (await Promise.all(sizes)).flat();
}

/**
 * Bundles one function for a debugger: not minified, with a map that names the sources by their
 * absolute paths.
 */
export async function debugBundle(name: string, folder: string): Promise<void> {
  await build({
    ...options,
    entryPoints: [{ in: `lambdas/${name}.ts`, out: 'index' }],
    outdir: folder,
    minify: false,
    // Absolute, as the emulator runs a copy of the bundle somewhere else.
    sourcemap: 'inline',
    sourceRoot: pathToFileURL(`${folder}/`).href,
    write: true,
  });
}

/** What each function imports, by its name: packages as imports, files of ours as inputs. */
export async function readImports(
  names: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<BuildResult['metafile']>['outputs'][string]>> {
  const { metafile } = await build({
    ...options,
    entryPoints: entryPoints(names),
    packages: 'external',
    metafile: true,
  });
  return new Map(Object.entries(metafile.outputs).map(([file, output]) => [nameOf(file), output]));
}

/** Parts of the SDK that functions do not use, a fifth of every bundle. */
function aliases(sources: string): Record<string, string> {
  return {
    // A function has its credentials in its environment; the other sources are not needed.
    '@aws-sdk/credential-provider-node': join(sources, 'lambdas/shared/lambda-credentials.ts'),
    '@smithy/core/event-streams': join(sources, 'lambdas/shared/no-event-streams.ts'),
  };
}

function entryPoints(names: readonly string[]): { in: string; out: string }[] {
  return names.map((name) => ({ in: `lambdas/${name}.ts`, out: `${name}/index` }));
}

function nameOf(file: string): string {
  return file.replace(/^dist\/lambdas\//, '').replace(/\/index\.mjs$/, '');
}
