import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownSourceMap } from './own-source-map.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-source-map-'));
  mkdirSync(join(folder, 'node_modules/thrower'), { recursive: true });
  mkdirSync(join(folder, 'lambdas'));
  writeFileSync(
    join(folder, 'node_modules/thrower/index.js'),
    'export function callBack(call) {\n  return call();\n}\n',
  );
  writeFileSync(
    join(folder, 'lambdas/main.ts'),
    `import { callBack } from 'thrower';

function fail(): never {
  throw new Error('fifth line calls, fourth throws');
}
callBack(() => {
  const one = 1;
  if (one) fail();
});
`,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

it('keeps the lines of our sources and leaves out packages', async () => {
  const bundle = join(folder, 'dist/index.mjs');
  await build({
    absWorkingDir: folder,
    entryPoints: ['lambdas/main.ts'],
    outfile: bundle,
    bundle: true,
    minify: true,
    format: 'esm',
    sourcemap: 'linked',
    sourcesContent: false,
  });
  const whole = readFileSync(`${bundle}.map`, 'utf8');
  const own = ownSourceMap(whole);
  writeFileSync(`${bundle}.map`, own);

  const script = `import(${JSON.stringify(bundle)}).catch((error) => console.log(error.stack))`;
  const stack = execFileSync(process.execPath, ['--enable-source-maps', '-e', script], { encoding: 'utf8' });

  expect(JSON.parse(own).sources).toEqual(['lambdas/main.ts']);
  expect(own.length).toBeLessThan(whole.length);
  const lines = [...stack.matchAll(/([^\s(]+\/dist\/\S+?):(\d+):\d+/g)].map(([, file, line]) => [file, line]);
  const ours = join(folder, 'dist/lambdas/main.ts');
  expect(lines.slice(0, 2)).toEqual([
    [ours, '4'],
    [ours, '8'],
  ]);
  expect(lines[2]?.[0]).toMatch(/index\.mjs$/);
});
