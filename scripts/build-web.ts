import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { firstFile } from './first-file.js';
import { shortPrivateNames } from './short-private-names.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'web/src');
const entry = join(sources, 'app/main.tsx');
const target = ['chrome115', 'firefox115', 'safari17'];
const script = { bundle: true, minify: true, format: 'iife', target, logLevel: 'warning' } as const;

/**
 * Builds the console into an empty folder: `index.html`, and files that carry the hash of their
 * content in their name and may be kept for ever.
 */
export async function buildWeb(outdir: string): Promise<void> {
  const { metafile } = await build({
    entryPoints: [entry, join(sources, 'main.css'), join(root, 'web/icon.svg')],
    outdir: join(outdir, 'assets'),
    entryNames: '[name]-[hash]',
    bundle: true,
    // What a page alone needs is a file of its own, which is loaded with the page.
    splitting: true,
    chunkNames: 'part-[name]-[hash]',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    minify: true,
    format: 'esm',
    target,
    legalComments: 'linked',
    loader: { '.svg': 'copy' },
    plugins: [shortPrivateNames, firstFile(entry, sources)],
    metafile: true,
    logLevel: 'warning',
  });
  // Runs before the first paint, which a module cannot.
  await build({
    entryPoints: [join(sources, 'theme/theme.ts')],
    outdir: join(outdir, 'assets'),
    entryNames: '[name]-[hash]',
    ...script,
  });
  // At the root and by its own name: a service worker controls the pages below its address.
  await build({
    entryPoints: [join(sources, 'push-worker.ts')],
    outdir,
    ...script,
  });
  const page = await readFile(join(root, 'web/index.html'), 'utf8');
  const whole = withAssets(withModules(page, metafile), await readdir(join(outdir, 'assets')));
  await writeFile(join(outdir, 'index.html'), whole);
}

/** Puts the hashed names in place of `{{name}}`. */
function withAssets(page: string, files: readonly string[]): string {
  return page.replace(/\{\{(\w+)\.(\w+)\}\}/g, (_all, name: string, extension: string) => {
    const file = files.find((one) => new RegExp(`^${name}-\\w+\\.${extension}$`).test(basename(one)));
    if (!file) throw new Error(`Nothing was built for ${name}.${extension}`);
    return `/assets/${file}`;
  });
}

/**
 * Repeats the line with `{{modules}}` for each file that the entry point imports. The browser then
 * requests them together with it.
 */
function withModules(page: string, { outputs }: Metafile): string {
  const main = Object.values(outputs).find(({ entryPoint }) => entryPoint?.endsWith('/app/main.tsx'));
  const imports = main?.imports.filter(({ kind }) => kind === 'import-statement') ?? [];
  return page.replace(/^.*\{\{modules\}\}.*\n/m, (line) =>
    imports.map(({ path }) => line.replace('{{modules}}', `/assets/${basename(path)}`)).join(''),
  );
}
