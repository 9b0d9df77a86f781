import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keysFile, openKeys } from './keys.js';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'berth-keys-'));
});
afterEach(() => rmSync(stateDir, { recursive: true }));

it('makes keys once for a state folder, which only this user can read', () => {
  const keys = openKeys(stateDir);

  expect(openKeys(stateDir)).toEqual(keys);
  expect(statSync(keysFile(stateDir)).mode & 0o777).toBe(0o600);
  expect(keys.secretAccessKey).toHaveLength(40);
});

it('makes a new state folder for this user alone', () => {
  openKeys(join(stateDir, 'new'));

  expect(statSync(join(stateDir, 'new')).mode & 0o777).toBe(0o700);
});

it('makes other keys for another state folder', () => {
  const one = openKeys(stateDir);
  const other = openKeys(join(stateDir, 'other'));

  for (const name of ['accessKeyId', 'secretAccessKey', 'frontSecret'] as const)
    expect(one[name]).not.toBe(other[name]);
});

it('closes the file of the keys that a copy left open', () => {
  const keys = openKeys(stateDir);
  chmodSync(keysFile(stateDir), 0o644);

  expect(openKeys(stateDir)).toEqual(keys);
  expect(statSync(keysFile(stateDir)).mode & 0o777).toBe(0o600);
});

it('says how to replace a file that holds no keys', () => {
  writeFileSync(keysFile(stateDir), '{}');

  expect(() => openKeys(stateDir)).toThrow('Delete it: the next start makes new ones');
});
