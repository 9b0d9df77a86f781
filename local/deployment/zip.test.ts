import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { zip } from './zip.js';

it('is read by another implementation of zip', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'berth-zip-')), 'function.zip');
  const files = new Map([
    ['index.mjs', Buffer.from('export const handler = 1;'.repeat(100))],
    ['index.mjs.map', Buffer.from('{}')],
  ]);
  writeFileSync(file, zip(files));

  const script = `import zipfile, json, sys
z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
print(json.dumps({i.filename: [z.read(i).decode(), oct(i.external_attr >> 16)] for i in z.infolist()}))`;
  const read = JSON.parse(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }));

  const expected = [...files].map(([name, content]) => [name, [content.toString(), '0o100644']]);
  expect(read).toEqual(Object.fromEntries(expected));
});
