import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../store/database.js';
import { UsedTokens } from './used-tokens.js';

const newPath = () => join(mkdtempSync(join(tmpdir(), 'used-tokens-')), 'agent.db');

it('accepts each id once, also after a restart', () => {
  const path = newPath();
  const before = openDatabase(path);
  const used = new UsedTokens(before);
  expect(used.use('a')).toBe(true);
  expect(used.use('a')).toBe(false);
  before.close();

  const after = new UsedTokens(openDatabase(path));

  expect(after.use('a')).toBe(false);
  expect(after.use('b')).toBe(true);
});

it('forgets the oldest ids beyond its limit', () => {
  const used = new UsedTokens(openDatabase(newPath()), 2);
  for (const id of ['a', 'b', 'c']) expect(used.use(id)).toBe(true);

  expect(used.use('c')).toBe(false);
  expect(used.use('b')).toBe(false);
  expect(used.use('a')).toBe(true);
});
