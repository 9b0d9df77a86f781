import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { writeDockerCommand } from './features-image.js';
import { swapFiles } from './swap-files.js';

let folder: string;
let outside: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tools-'));
  outside = mkdtempSync(join(tmpdir(), 'outside-'));
});

it('writes the docker command of a build', async () => {
  const path = await writeDockerCommand(folder, '01K0000000000000000000000W');

  expect(readFileSync(path, 'utf8')).toContain('vsc-01k0000000000000000000000w-features');
  expect(lstatSync(path).mode & 0o700).toBe(0o700);
});

it.each(['file', 'missing'])(
  'follows no link that a tool left in the place of the docker command: %s',
  async (kind) => {
    const target = join(outside, kind);
    if (kind === 'file') writeFileSync(target, 'kept');
    symlinkSync(target, join(folder, 'docker'));

    await expect(writeDockerCommand(folder, '01K0000000000000000000000W')).rejects.toThrow();

    expect(existsSync(target) && readFileSync(target, 'utf8')).toBe(kind === 'file' && 'kept');
  },
);

it('follows no link in the place of a folder or of a file that is swapped', async () => {
  symlinkSync(outside, join(folder, '.devcontainer'));
  mkdirSync(join(folder, 'plain'));
  writeFileSync(join(outside, 'kept'), 'kept');
  symlinkSync(join(outside, 'kept'), join(folder, 'plain', 'devcontainer.json'));

  for (const name of ['.devcontainer/devcontainer.json', 'plain/devcontainer.json'])
    await expect(swapFiles(folder, { [name]: 'swapped' })).rejects.toThrow();

  expect(existsSync(join(outside, 'devcontainer.json'))).toBe(false);
  expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept');
});
