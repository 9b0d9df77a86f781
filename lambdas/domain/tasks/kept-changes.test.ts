import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { aNewWorkspace } from '../../../test/support/records.js';
import type { ObjectStore } from '../../shared/object-store.js';
import { type KeepDeps, keepChanges } from './keep-changes.js';
import { findChanges, putChanges, readChanges } from './kept-changes.js';
import { newTask } from './task.js';

const id = '01M8G9W4T2K6V0XQZR5N7C1BDF';
const at = '2026-11-26T14:55:00.000Z';
const now = new Date(at);
const asked = { taskId: id, projectId: id, userId: id, title: 'Close the door' };
const ended = { ...newTask(asked, now), run: 1, finalizedAt: at };
const unkept = { ...ended, taskId: '01M8G9W4T2K6V0XQZR5N7C1BDG' };

const objects = new Map<string, Buffer>();
const server = createServer((request: IncomingMessage, response) => {
  const [path = ''] = (request.url ?? '').split('?');
  if (request.method === 'PUT')
    void buffer(request).then((body) => {
      objects.set(path, body);
      response.end();
    });
  else response.writeHead(objects.has(path) ? 200 : 404).end(objects.get(path));
});
let store: { readonly objects: ObjectStore; readonly now: Date };

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const credentials = async () => ({ accessKeyId: 'test', secretAccessKey: 'test' });
  const endpoint = `http://127.0.0.1:${port}`;
  store = { objects: { bucket: 'bucket', region: 'us-east-1', credentials, endpoint }, now };
});
afterAll(() => server.close());

it.each([
  ['the task has not ended', { finalizedAt: null }, /when the task ends/],
  ['no agent had worked', { startedAt: null }, /No agent had worked/],
  ['they were not stored', { startedAt: at }, /could not be stored/],
])('says that %s', async (_, state, reason) => {
  await expect(readChanges(store, { ...unkept, ...state })).rejects.toThrow(reason);
});

const kept = {
  base: 'origin/main',
  keptAt: at,
  status: { staged: [], unstaged: [], untracked: [], truncated: false },
  diff: { filePath: null, diff: 'diff --git a/x b/x\n', truncated: false },
};

it('gives the changes of this execution, and not those of another', async () => {
  await putChanges(store, ended, kept);

  expect(await readChanges(store, ended)).toEqual(kept);
  expect(await findChanges(store, { ...ended, run: 2 })).toBeUndefined();
});

it('keeps what another attempt has stored when the workspace is away by now', async () => {
  const task = { ...ended, taskId: '01M8G9W4T2K6V0XQZR5N7C1BDH', startedAt: at };
  const workspace = aNewWorkspace({ status: 'stopped' });
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  // Only a workspace that runs needs the other parts.
  const parts = { ...store, log } as unknown as KeepDeps;

  await keepChanges(parts, task, workspace);
  await expect(readChanges(store, task)).rejects.toThrow('The workspace was stopped');
  await putChanges(store, task, kept);
  await keepChanges(parts, task, workspace);

  expect(await readChanges(store, task)).toEqual(kept);
  expect(log.error).not.toHaveBeenCalled();
});

it('is tried again in the first minutes after the end when the object store refuses', async () => {
  const task = { ...ended, startedAt: at, completedAt: at };
  const workspace = aNewWorkspace({ status: 'stopped' });
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const objects = { ...store.objects, endpoint: 'http://127.0.0.1:1' };
  const keepAt = (minutes: number) =>
    keepChanges(
      { objects, log, now: new Date(now.getTime() + minutes * 60_000) } as unknown as KeepDeps,
      task,
      workspace,
    );

  await expect(keepAt(9)).rejects.toThrow('The object store does not answer');
  expect(log.error).not.toHaveBeenCalled();
  await keepAt(11);
  expect(log.error).toHaveBeenCalledOnce();
});
