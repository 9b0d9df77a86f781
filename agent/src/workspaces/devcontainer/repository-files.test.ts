import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { findConfiguration } from './repository-files.js';

let repository: string;

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'find-'));
});

const put = (path: string) => {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), '{}');
};

it.each([
  [
    ['.devcontainer/b/devcontainer.json', '.devcontainer/a/devcontainer.json'],
    '.devcontainer/a/devcontainer.json',
  ],
  [['.devcontainer/a/devcontainer.json', '.devcontainer.json'], '.devcontainer.json'],
  [['.devcontainer.json', '.devcontainer/devcontainer.json'], '.devcontainer/devcontainer.json'],
  [['README.md'], null],
])('of %j takes %s', async (files, expected) => {
  files.forEach(put);

  expect(await findConfiguration(repository, null)).toBe(expected);
});

it('uses the named configuration only', async () => {
  put('.devcontainer/devcontainer.json');
  put('.devcontainer/go/devcontainer.json');

  expect(await findConfiguration(repository, 'go')).toBe('.devcontainer/go/devcontainer.json');
  await expect(findConfiguration(repository, 'rust')).rejects.toThrow(
    '.devcontainer/rust/devcontainer.json does not exist',
  );
});

it('refuses a configuration behind a link', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'else-'));
  writeFileSync(join(elsewhere, 'devcontainer.json'), '{}');
  symlinkSync(elsewhere, join(repository, '.devcontainer'));

  await expect(findConfiguration(repository, null)).rejects.toThrow('is a link or behind a link');
});

it('refuses a configuration larger than 1 MB', async () => {
  writeFileSync(join(repository, '.devcontainer.json'), ' '.repeat(1024 ** 2 + 1));

  await expect(findConfiguration(repository, null)).rejects.toThrow('larger than 1024 KB');
});
