import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { firstFile } from './first-file.js';

const parts = {
  'app/main.ts': `import { first } from '../shared.js'; console.log(first); void import('../later/page.js');`,
  'later/page.ts': `import { second } from '../shared.js'; console.log(second); void import('./other.js');`,
  'later/other.ts': `import { first, second } from '../shared.js'; console.log(first + second);`,
  'shared.ts': `export const first = 'first'; export const second = 'second';`,
};

/** The names of the built files, with their content. */
async function builtIn(sources: string): Promise<Readonly<Record<string, string>>> {
  for (const [name, text] of Object.entries(parts)) {
    mkdirSync(join(sources, name, '..'), { recursive: true });
    writeFileSync(join(sources, name), text);
  }
  const entry = join(sources, 'app/main.ts');
  const { outputFiles } = await build({
    ...{ entryPoints: [entry], absWorkingDir: sources, outdir: join(sources, 'built'), write: false },
    ...{ bundle: true, splitting: true, format: 'esm', minify: true },
    ...{ entryNames: '[name]-[hash]', chunkNames: 'part-[name]-[hash]' },
    plugins: [firstFile(entry, sources)],
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path.slice(sources.length), text]));
}

it('builds the same files in every folder, with all of the first page in one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'first-file-'));
  const files = await builtIn(join(folder, 'here'));

  expect(await builtIn(join(folder, 'in/another/place'))).toEqual(files);
  const withShared = Object.values(files).filter((text) => text.includes('"first"'));
  expect(withShared).toHaveLength(1);
  expect(withShared[0]).toContain('console.log');
});
