import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeFileAtomic } from './write-file-atomic.js';

it('replaces the file, owner-only, and leaves nothing else behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atomic-'));
  const path = join(folder, 'inner', 'token');

  await writeFileAtomic(path, 'one');
  await writeFileAtomic(path, 'two');

  expect(await readFile(path, 'utf8')).toBe('two');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'inner'))).toEqual(['token']);
});
