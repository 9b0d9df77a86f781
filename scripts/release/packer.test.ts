import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { buildWithPacker } from './packer.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'packer-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A program of this name that notes its arguments. */
function usePacker(version: string, exitCode = 0) {
  const path = join(folder, 'packer');
  const calls = join(folder, 'calls');
  const script = `#!/bin/sh\n[ "$1" = version ] && echo "Packer v${version}" && exit 0\necho "$@" >>"${calls}"\nexit ${exitCode}\n`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
  return () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []);
}

const build = 'build -color=false -var arch=arm64 ami';

it.each([
  ['1.6.6', [build]],
  ['1.9.5', [build]],
  ['1.10.0', ['plugins install github.com/hashicorp/amazon', build]],
  ['1.15.1', ['plugins install github.com/hashicorp/amazon', build]],
])('version %s', async (version, expected) => {
  const calls = usePacker(version);

  await buildWithPacker({ arch: 'arm64' });

  expect(calls()).toEqual(expected);
});

it('says what failed, and builds nothing without the plugin', async () => {
  const calls = usePacker('1.11.2', 1);

  await expect(buildWithPacker({ arch: 'arm64' })).rejects.toThrow('`packer plugins` failed');
  expect(calls()).toEqual(['plugins install github.com/hashicorp/amazon']);
});

it('names the missing program and its installation', async () => {
  vi.stubEnv('PATH', folder);

  await expect(buildWithPacker({})).rejects.toThrow('apt-get install packer');
});
