import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { Log } from '../shared/log.js';
import { EventStore } from './event-store.js';

const event = { workspaceId: 'W', level: 'info', type: 'workspace.created', message: 'made' } as const;

function open(path = join(mkdtempSync(join(tmpdir(), 'events-')), 'events.db'), now = () => new Date()) {
  const reported: string[] = [];
  const log = new Log({ level: 'warn', format: 'json' }, (line) => reported.push(line));
  return { path, reported, store: new EventStore(path, { nodeId: 'N', now, log }) };
}

it('keeps events across a restart and pages them newest first, by workspace', () => {
  const { path, store } = open();
  for (let n = 0; n < 5; n += 1) store.add({ ...event, message: `event ${n}` });
  store.add({ ...event, workspaceId: null, message: 'of the node' });
  store[Symbol.dispose]();

  const { store: again } = open(path);
  const first = again.list({ workspaceId: 'W', limit: 3, before: null });
  expect(first.events.map(({ message }) => message)).toEqual(['event 4', 'event 3', 'event 2']);
  const second = again.list({ workspaceId: 'W', limit: 3, before: first.next });
  expect(second.events.map(({ message }) => message)).toEqual(['event 1', 'event 0']);
  expect(second.next).toBeNull();
  expect(again.list({ workspaceId: null, limit: 1, before: null }).events[0]?.message).toBe('of the node');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('stores no secrets and removes old events', () => {
  let time = new Date('2026-01-01T00:00:00Z');
  const { path, store } = open(undefined, () => time);
  store.add({ ...event, message: 'token=abcdef', detail: { password: 'hunter2' } });
  expect(JSON.stringify(store.list({ workspaceId: null, limit: 9, before: null }))).not.toMatch(
    /abcdef|hunter2/,
  );
  store[Symbol.dispose]();

  time = new Date('2026-01-09T00:00:00Z');
  expect(open(path, () => time).store.list({ workspaceId: null, limit: 9, before: null }).events).toEqual([]);
});

it('limits the number of events', () => {
  const { store } = open();
  for (let n = 0; n < 10_150; n += 1) store.add(event);
  const { events } = store.list({ workspaceId: null, limit: 20_000, before: null });
  expect(events.length).toBeLessThanOrEqual(10_100);
});

it('logs an event that cannot be stored and continues', () => {
  const { path, reported, store } = open();
  const disk = new DatabaseSync(path);
  disk.exec(
    `CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
  );

  store.add({ ...event, message: 'lost' });
  disk.exec('DROP TRIGGER full');
  store.add({ ...event, message: 'kept' });

  expect(reported.join('')).toMatch(/Event not stored.*lost.*disk is full/);
  const { events } = store.list({ workspaceId: null, limit: 9, before: null });
  expect(events.map(({ message }) => message)).toEqual(['kept']);
});
