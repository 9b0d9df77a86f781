import { readFile } from 'node:fs/promises';
import { type Plugin, transform } from 'esbuild';

/** The fit add-on, which keeps its names, reads these of the terminal. */
const readByAddOn = /^_(?:core|renderService)$/;

/**
 * Shortens the names of the private properties of the terminal emulator. All of them begin with an
 * underscore, and none is ever named by a string. It saves 3.5 KB of 75 in brotli.
 */
export const shortPrivateNames: Plugin = {
  name: 'short-private-names',
  setup: ({ onLoad }) =>
    onLoad({ filter: /@xterm[\\/]xterm[\\/]lib[\\/]xterm\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const { code } = await transform(text, { mangleProps: /^_/, reserveProps: readByAddOn });
      return { contents: code };
    }),
};
