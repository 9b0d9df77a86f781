import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileRoot, openPlainFile } from './plain-files.js';

// Without O_PATH (macOS) every file is read through the workspace, which other tests cover.
describe.skipIf(process.platform !== 'linux')('a plain file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plain-'));
  const everybody: FileRoot = { folder, path: folder, reader: null, isCurrent: async () => true };
  const owner: FileRoot = { ...everybody, reader: process.getuid?.() ?? null };

  beforeAll(() => {
    execFileSync('chmod', ['755', folder]);
    for (const [name, mode] of [
      ['open', 0o755],
      ['closed', 0o700],
    ] as const)
      mkdirSync(join(folder, name), { mode });
    for (const [name, mode] of [
      ['open/file', 0o644],
      ['open/private', 0o600],
      ['open/of-the-group', 0o640],
      ['open/not-of-the-group', 0o604],
      ['closed/file', 0o644],
    ] as const)
      writeFileSync(join(folder, name), name, { mode });
    symlinkSync('file', join(folder, 'open/link'));
    symlinkSync('open', join(folder, 'linked'));
    execFileSync('mkfifo', [join(folder, 'open/pipe')]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const read = async (root: FileRoot, path: string) => {
    await using handle = await openPlainFile(root, path.split('/'));
    return handle && (await handle.readFile('utf8'));
  };

  it('is opened when its mode allows everyone to read it', async () => {
    expect(await read(everybody, 'open/file')).toBe('open/file');
  });

  it.each(['open/private', 'open/of-the-group', 'open/not-of-the-group', 'closed/file'])(
    'is opened for its owner alone when it is %s',
    async (path) => {
      expect(await read(everybody, path)).toBe(null);
      expect(await read(owner, path)).toBe(path);
    },
  );

  it.each(['open/link', 'linked/file', 'open', 'open/pipe', 'open/missing', 'open/file/more', 'open/'])(
    'is not what %s is',
    async (path) => {
      expect(await read(owner, path)).toBe(null);
    },
  );

  it('is not opened when the root folder was replaced', async () => {
    expect(await read({ ...owner, isCurrent: async () => false }, 'open/file')).toBe(null);
    expect(await read({ ...owner, folder: join(folder, 'gone') }, 'open/file')).toBe(null);
  });
});
