import { basename, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'esbuild';

const later = 'later';

/**
 * Puts all that an entry point needs at once into one file. The bundler makes a file for each set
 * of parts that share a module, and each of these files costs the first page a request. Here each
 * part that is loaded later also imports the entry point, which is there by then: so the modules of
 * the entry point all belong to the same set. Parts have relative paths: the names and the order of
 * files must not depend on the folder of the checkout.
 */
export const firstFile = (entry: string, sources: string): Plugin => ({
  name: 'first-file',
  setup: (build) => {
    build.onResolve({ filter: /^\./ }, async ({ kind, path, importer, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const found = await build.resolve(path, { kind: 'import-statement', importer, resolveDir });
      return found.path.startsWith(`${sources}${sep}`)
        ? { path: relative(sources, found.path), namespace: later }
        : found;
    });
    // The package says that no file has an effect of its own. This one has.
    build.onResolve({ filter: new RegExp(`${basename(entry)}$`) }, ({ path, resolveDir }) =>
      resolve(resolveDir, path) === entry ? { path: entry, sideEffects: true } : undefined,
    );
    build.onLoad({ filter: /./, namespace: later }, ({ path }) => ({
      contents: `import './${relative(sources, entry)}'; export * from './${path}';`,
      resolveDir: sources,
    }));
  },
});
