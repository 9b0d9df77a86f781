import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it, vi } from 'vitest';
import { openDatabase } from '../store/database.js';
import { SessionEnds } from './session-ends.js';

let path: string;
let time: number;
const open = () => new SessionEnds(openDatabase(path), () => new Date(time));

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'ends-')), 'state.db');
  time = Date.parse('2026-11-21T12:00:00Z');
});

it('tells everybody who listens, and nobody who stopped', () => {
  const ends = open();
  const [first, second] = [vi.fn(), vi.fn()];
  ends.onEnd(first);
  ends.onEnd(second)();
  ends.end('one');

  expect(first.mock.calls).toEqual([['one']]);
  expect(second).not.toHaveBeenCalled();
});

it('is already remembered when listeners hear of it', () => {
  const ends = open();
  const seen: boolean[] = [];
  ends.onEnd((hash) => seen.push(ends.hasEnded(hash)));
  ends.end('one');

  expect(seen).toEqual([true]);
});

it('ends what went on when it was last asked about', () => {
  const ends = open();
  expect(ends.hasEnded('one')).toBe(false);
  ends.end('one');

  expect(ends.hasEnded('one')).toBe(true);
});

it('remembers through a restart, however the clock is set', () => {
  open().end('one');
  const ends = open();

  time += 60 * 60_000;
  expect([ends.hasEnded('one'), ends.hasEnded('two')]).toEqual([true, false]);
  time += 86_400_000;
  ends.end('three');
  time -= 2 * 86_400_000;
  expect([ends.hasEnded('one'), ends.hasEnded('three')]).toEqual([true, true]);
});

it('ends also what cannot be written down, and writes it down when it is told again', () => {
  const ends = open();
  const listener = vi.fn();
  ends.onEnd(listener);
  expect(ends.hasEnded('one')).toBe(false);
  const disk = new DatabaseSync(path);
  disk.exec(
    `CREATE TRIGGER full BEFORE INSERT ON ended_sessions BEGIN SELECT RAISE(FAIL, 'disk is full'); END`,
  );

  expect(() => ends.end('one')).toThrow('disk is full');
  expect(listener.mock.calls).toEqual([['one']]);
  expect(ends.hasEnded('one')).toBe(true);
  expect(open().hasEnded('one')).toBe(false);

  disk.exec('DROP TRIGGER full');
  ends.end('one');
  expect([ends.hasEnded('one'), open().hasEnded('one')]).toEqual([true, true]);
});

it('keeps only so many, the newest', () => {
  const ends = new SessionEnds(openDatabase(path), () => new Date(time), 2);
  for (const hash of ['one', 'two', 'one', 'three']) {
    time += 1;
    ends.end(hash);
  }

  expect(['one', 'two', 'three'].map((hash) => ends.hasEnded(hash))).toEqual([true, false, true]);
});
