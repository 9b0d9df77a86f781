import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { removeFolder, writeFileAtomic } from './local-disk.js';

const nobody = 65_534;
const before = process.cwd();

afterEach(() => process.chdir(before));

/** Root may write everywhere. */
async function withoutRoot(work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Creates nested folders, owned by the user that will remove them. */
function folders(...names: readonly string[]): void {
  names.reduce((parent, name) => {
    const folder = join(parent, name);
    mkdirSync(folder);
    if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
    return folder;
  }, '.');
}

it('removes a folder with read-only folders in it; a missing folder is fine', async () => {
  const place = mkdtempSync(join(tmpdir(), 'remove-'));
  if (process.getuid?.() === 0) chownSync(place, nobody, nobody);
  process.chdir(place);
  folders('workspace', 'mod', 'cache');
  folders('outside');
  writeFileSync('workspace/mod/cache/module.go', 'package module');
  symlinkSync('../../outside', 'workspace/mod/link');
  chmodSync('outside', 0o500);
  chmodSync('workspace/mod/cache', 0o000);
  chmodSync('workspace/mod', 0o555);

  await withoutRoot(() => removeFolder('workspace'));
  await withoutRoot(() => removeFolder('workspace'));

  expect(existsSync('workspace')).toBe(false);
  expect(existsSync('outside')).toBe(true);
});

it('replaces the file with owner-only mode, without temporary files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atomic-'));
  const path = join(folder, 'inner', 'token');

  await writeFileAtomic(path, 'one');
  await writeFileAtomic(path, 'two');

  expect(await readFile(path, 'utf8')).toBe('two');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'inner'))).toEqual(['token']);
});
