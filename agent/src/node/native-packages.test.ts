import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PackedPackages, UnsafeFolder, unpackPackages } from './native-packages.js';

const file = (path: string, text: string) => ({
  path: `node_modules/${path}`,
  mode: 0o600,
  sha256: createHash('sha256').update(text).digest('hex'),
  content: Buffer.from(text).toString('base64'),
});

const packages: PackedPackages = {
  hash: 'a'.repeat(64),
  files: [
    file('@one/thing/package.json', '{"main":"index.js"}'),
    file('@one/thing/index.js', 'module.exports = 42;'),
  ],
};

const newParent = () => join(mkdtempSync(join(tmpdir(), 'unpack-')), 'native');

it('unpacks packages into a folder from which they can be required', () => {
  const folder = unpackPackages(packages, newParent());

  expect(createRequire(join(folder, 'any.cjs'))('@one/thing')).toBe(42);
});

it('creates folders that only the owner can read', () => {
  const parent = newParent();

  const folder = unpackPackages(packages, parent);

  expect([parent, folder].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
});

it('reuses a valid folder and leaves no other files', () => {
  const parent = newParent();
  const folder = unpackPackages(packages, parent);
  const before = statSync(folder).ino;

  expect(unpackPackages(packages, parent)).toBe(folder);
  expect(statSync(folder).ino).toBe(before);
  expect(readdirSync(parent)).toEqual([packages.hash]);
});

it('replaces a changed or truncated folder', () => {
  const parent = newParent();
  const index = join(unpackPackages(packages, parent), 'node_modules/@one/thing/index.js');
  writeFileSync(index, 'module.exports = "evil";');

  unpackPackages(packages, parent);

  expect(readFileSync(index, 'utf8')).toBe('module.exports = 42;');
});

it('refuses a parent folder that others may write to', () => {
  const parent = newParent();
  unpackPackages(packages, parent);
  chmodSync(parent, 0o777);

  expect(() => unpackPackages(packages, parent)).toThrow(UnsafeFolder);
});

it.each(['node_modules/../../etc/x', '/etc/x', 'node_modules/a/../b', 'node_modules//x/y'])(
  'takes no file at %s',
  (path) => {
    const [first] = packages.files;

    expect(PackedPackages.safeParse({ ...packages, files: [{ ...first, path }] }).success).toBe(false);
  },
);
