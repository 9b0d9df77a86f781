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

it('notifies all listeners except removed ones', () => {
  const ends = open();
  const [first, second] = [vi.fn(), vi.fn()];
  ends.onEnd(first);
  ends.onEnd(second)();
  ends.end('one');

  expect(first.mock.calls).toEqual([['one']]);
  expect(second).not.toHaveBeenCalled();
});

it('stores an end before it notifies listeners', () => {
  const ends = open();
  const seen: boolean[] = [];
  ends.onEnd((hash) => seen.push(ends.hasEnded(hash)));
  ends.end('one');

  expect(seen).toEqual([true]);
});

it('ends a session that was cached as active', () => {
  const ends = open();
  expect(ends.hasEnded('one')).toBe(false);
  ends.end('one');

  expect(ends.hasEnded('one')).toBe(true);
});

it('keeps ends across restarts and clock changes', () => {
  open().end('one');
  const ends = open();

  time += 60 * 60_000;
  expect([ends.hasEnded('one'), ends.hasEnded('two')]).toEqual([true, false]);
  time += 86_400_000;
  ends.end('three');
  time -= 2 * 86_400_000;
  expect([ends.hasEnded('one'), ends.hasEnded('three')]).toEqual([true, true]);
});

it('ends a session when storing fails, and stores the end when it is reported again', () => {
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

it('keeps a limited number of ends, the newest', () => {
  const ends = new SessionEnds(openDatabase(path), () => new Date(time), 2);
  for (const hash of ['one', 'two', 'one', 'three']) {
    time += 1;
    ends.end(hash);
  }

  expect(['one', 'two', 'three'].map((hash) => ends.hasEnded(hash))).toEqual([true, false, true]);
});
