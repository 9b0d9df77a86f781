import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openDatabase } from './database.js';
import { WorkspaceStore } from './workspace-store.js';

const workspaceId = '01K0000000000000000000000W';
const settings = { repository: null, cloneUrl: null, branch: null };
const begin = { workspaceId, settings, callbackToken: 'token' };

function open(path = join(mkdtempSync(join(tmpdir(), 'store-')), 'state.db')) {
  return { path, store: new WorkspaceStore(openDatabase(path), () => new Date('2026-01-01T00:00:00Z')) };
}

it('keeps records across a restart, in a file that only the owner can read', () => {
  const { path, store } = open();
  store.begin({ ...begin, generation: 1 });
  store[Symbol.dispose]();

  expect(open(path).store.find(workspaceId)).toMatchObject({ status: 'creating', generation: 1, settings });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('changes a status only from the expected status and generation', () => {
  const { store } = open();
  store.begin({ ...begin, generation: 2 });

  expect(store.move({ workspaceId, generation: 1 }, { from: ['creating'], to: 'running' })).toBe(false);
  expect(store.move({ workspaceId, generation: 2 }, { from: ['creating'], to: 'stopped' })).toBe(true);
  expect(store.move({ workspaceId, generation: 2 }, { from: ['creating'], to: 'running' })).toBe(false);
  expect(store.find(workspaceId)?.status).toBe('stopped');
});

it('returns the current record after every change', () => {
  const { store } = open();
  store.begin({ ...begin, generation: 1 });
  const found = () => {
    const workspace = store.find(workspaceId);
    if (!workspace) throw new Error('no workspace');
    return workspace;
  };
  expect(found()).toMatchObject({ generation: 1, status: 'creating' });
  store.begin({ ...begin, generation: 2 });
  expect(found()).toMatchObject({ generation: 2 });
  store.move(found(), { from: ['creating'], to: 'running', pendingCallback: 'ready' });
  expect(found()).toMatchObject({ status: 'running', pendingCallback: 'ready' });
  store.callbackAnswered(found(), 'ready');
  expect(found().pendingCallback).toBeNull();
  store.renewToken(found(), 'renewed');
  expect(found().callbackToken).toBe('renewed');
  store.restartOrRebuild(found(), {
    from: ['running'],
    provisionKind: 'rebuild',
    generation: 3,
    callbackToken: 'third',
  });
  expect(found()).toMatchObject({ status: 'creating', generation: 3, callbackToken: 'third' });
  store.finishDeletion(workspaceId);
  expect(store.find(workspaceId)).toBeNull();
});

it('never replaces a newer generation with an older one', () => {
  const { store } = open();
  store.begin({ ...begin, generation: 2 });

  store.begin({ ...begin, generation: 1, callbackToken: 'old' });

  expect(store.find(workspaceId)).toMatchObject({ generation: 2, callbackToken: 'token' });
});

it('renews only the token that the record still has', () => {
  const { store } = open();
  store.begin({ ...begin, generation: 1 });
  const first = store.find(workspaceId);
  if (!first) throw new Error('no workspace');

  expect(store.renewToken(first, 'new')).toBe(true);
  expect(store.renewToken(first, 'late')).toBe(false);
  expect(store.find(workspaceId)?.callbackToken).toBe('new');
});

it('stores an unfinished deletion, and then the deleted generation', () => {
  const { path, store } = open();
  store.begin({ ...begin, generation: 4 });
  store.beginDeletion(workspaceId);
  store[Symbol.dispose]();

  const again = open(path).store;
  expect(again.unfinishedDeletions()).toEqual([workspaceId]);

  again.finishDeletion(workspaceId);
  expect(again.unfinishedDeletions()).toEqual([]);
  expect(again.find(workspaceId)).toBeNull();
  expect(again.deletedGeneration(workspaceId)).toBe(4);
});

it.each([
  ['is created', (store: WorkspaceStore) => store.begin({ ...begin, generation: 2 })],
  [
    'is restarted',
    (store: WorkspaceStore) => {
      const workspace = store.find(workspaceId);
      if (!workspace) throw new Error('no workspace');
      const next = {
        from: ['creating'],
        provisionKind: 'restart',
        generation: 2,
        callbackToken: 'new',
      } as const;
      return store.restartOrRebuild(workspace, next);
    },
  ],
])('drops an unfinished deletion when a newer generation %s', (_, make) => {
  const { store } = open();
  store.begin({ ...begin, generation: 1 });
  store.beginDeletion(workspaceId);

  make(store);

  expect(store.unfinishedDeletions()).toEqual([]);
  expect(store.deletedGeneration(workspaceId)).toBe(1);
});

it('continues a deletion when the deleted generation is requested again', () => {
  const { store } = open();
  store.begin({ ...begin, generation: 1 });
  store.beginDeletion(workspaceId);

  store.begin({ ...begin, generation: 1 });

  expect(store.unfinishedDeletions()).toEqual([workspaceId]);
});

it('continues after a deletion that could not be stored', () => {
  const { path, store } = open();
  store.begin({ ...begin, generation: 1 });
  store.beginDeletion(workspaceId);
  const disk = new DatabaseSync(path);
  disk.exec(`CREATE TRIGGER full BEFORE UPDATE ON deletions BEGIN SELECT RAISE(FAIL, 'disk is full'); END`);

  expect(() => store.finishDeletion(workspaceId)).toThrow('disk is full');
  expect(store.find(workspaceId)).not.toBeNull();
  disk.exec('DROP TRIGGER full');

  store.finishDeletion(workspaceId);
  expect(store.find(workspaceId)).toBeNull();
  expect(store.unfinishedDeletions()).toEqual([]);
});
