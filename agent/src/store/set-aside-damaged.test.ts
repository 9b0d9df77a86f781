import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { setAsideDamaged } from './set-aside-damaged.js';

const now = new Date('2026-01-02T03:04:05.678Z');
const newPath = () => join(mkdtempSync(join(tmpdir(), 'damaged-')), 'state.db');

function writeRows(path: string): void {
  using database = new DatabaseSync(path);
  database.exec('CREATE TABLE rows (text TEXT) STRICT');
  const insert = database.prepare('INSERT INTO rows (text) VALUES (?)');
  for (let row = 0; row < 200; row += 1) insert.run('x'.repeat(200));
}

it('keeps an intact, an empty and a missing database', () => {
  const [intact, empty] = [newPath(), newPath()];
  writeRows(intact);
  writeFileSync(empty, '');

  for (const path of [intact, empty, newPath()]) expect(setAsideDamaged(path, now)).toBeNull();
});

it('renames a file that is no database', () => {
  const path = newPath();
  writeFileSync(path, 'no database '.repeat(1_000));

  const kept = setAsideDamaged(path, now);

  expect(kept).toBe(`${path}.damaged-2026-01-02T03-04-05.678Z`);
  expect(readFileSync(kept ?? '', 'utf8')).toContain('no database');
  expect(setAsideDamaged(path, now)).toBeNull();
});

it('renames a database that lost its end', () => {
  const path = newPath();
  writeRows(path);
  truncateSync(path, 8_192);

  expect(setAsideDamaged(path, now)).not.toBeNull();
});
