import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { privateFolder } from './private-folder.js';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'private-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const rights = (path: string): number => statSync(path).mode & 0o777;

it('makes a folder that only its owner can enter', () => {
  const path = join(parent, 'a/b');
  privateFolder(path);
  expect(rights(path)).toBe(0o700);
});

it('takes the rights of others from a folder that is there', () => {
  const path = join(parent, 'a');
  mkdirSync(path);
  chmodSync(path, 0o755);
  privateFolder(path);
  expect(rights(path)).toBe(0o700);
});
