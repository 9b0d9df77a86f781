import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Seal } from './seal.js';

const newPath = () => join(mkdtempSync(join(tmpdir(), 'seal-')), 'state', 'seal.key');

it('opens a text again, also after a restart, with a key that only its owner can read', () => {
  const path = newPath();
  const sealed = Seal.load(path).close('secret', 'owner');

  expect(sealed).not.toContain('secret');
  expect(Seal.load(path).open(sealed, 'owner')).toBe('secret');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('opens no text of another owner, of another key, or that has changed', () => {
  const path = newPath();
  const seal = Seal.load(path);
  const sealed = seal.close('secret', 'owner');
  const changed = Buffer.from(sealed, 'base64');
  changed[14] = (changed[14] ?? 0) ^ 1;

  expect(seal.open(sealed, 'other')).toBeNull();
  expect(seal.open(changed.toString('base64'), 'owner')).toBeNull();
  expect(seal.open('short', 'owner')).toBeNull();
  rmSync(path);
  expect(Seal.load(path).open(sealed, 'owner')).toBeNull();
});

it('names the limit of a damaged key file', () => {
  const path = newPath();
  Seal.load(path);
  writeFileSync(path, 'short');

  expect(() => Seal.load(path)).toThrow('must have 32 bytes and has 5');
});
