import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { GitDiff, GitStatus } from '../../../protocol/workspace-files.js';
import { DomainError, Unavailable } from '../../shared/errors.js';
import { type ObjectCall, type ObjectStore, requestObject } from '../../shared/object-store.js';
import type { Task } from './task.js';

/** What a task had changed when its execution ended. */
export const KeptChanges = z.object({
  /** The revision that the diff is against. */
  base: z.string(),
  keptAt: z.iso.datetime(),
  status: GitStatus,
  diff: GitDiff,
});
export type KeptChanges = z.infer<typeof KeptChanges>;

const Missing = z.object({ missing: z.string() });
const Stored = z.extend(z.object({ content: z.union([KeptChanges, Missing]) }), { run: z.int() });
type Content = z.infer<typeof Stored>['content'];

export interface ChangesObjects {
  readonly objects: ObjectStore;
  readonly now: Date;
}

const timeoutMs = 5_000;
/** A node cuts off a diff at 1 MiB, and its answer at 2 MiB. */
const maxBytes = 10 * 1024 * 1024;

type Of = Pick<Task, 'projectId' | 'taskId'>;

/** One object a task: the next execution replaces it. */
const keyOf = ({ projectId, taskId }: Of): string => `task-changes/${projectId}/${taskId}.json.gz`;

export const changesNotKept = (reason: string) =>
  new DomainError('not_found', `There are no kept changes. ${reason}`, { code: 'CHANGES_NOT_KEPT' });

/** Stores the changes of this execution, or why there are none. A repeat replaces them. */
export async function putChanges(
  store: ChangesObjects,
  task: Of & Pick<Task, 'run'>,
  content: Content,
): Promise<void> {
  const body = gzipSync(JSON.stringify({ run: task.run, content }));
  const headers = { 'content-type': 'application/gzip' };
  const { ok, status } = await send(store, { method: 'PUT', key: keyOf(task), headers, body });
  if (!ok) throw unavailable(`The object store answered ${status}`);
}

/** What is stored of this execution; undefined when nothing is. */
export async function findChanges(
  store: ChangesObjects,
  task: Of & Pick<Task, 'run'>,
): Promise<Content | undefined> {
  const response = await send(store, { method: 'GET', key: keyOf(task) });
  if (response.status === 404) return undefined;
  if (!response.ok) throw unavailable(`The object store answered ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = gunzipSync(bytes, { maxOutputLength: maxBytes }).toString('utf8');
  const { run, content } = Stored.parse(JSON.parse(text));
  return run === task.run ? content : undefined;
}

/**
 * The changes that a task had when it ended.
 *
 * @throws {changesNotKept | Unavailable}
 */
export async function readChanges(store: ChangesObjects, task: Task): Promise<KeptChanges> {
  const found = await findChanges(store, task);
  if (!found) throw changesNotKept(whyNothing(task));
  if ('missing' in found) throw changesNotKept(found.missing);
  return found;
}

function whyNothing({ finalizedAt, startedAt }: Task): string {
  if (finalizedAt === null) return 'They are kept when the task ends.';
  return startedAt === null
    ? 'No agent had worked on the task.'
    : 'They could not be stored when the task ended.';
}

/** Deletes what is stored of all executions. A repeat is no failure. */
export async function deleteChanges(store: ChangesObjects, task: Of): Promise<void> {
  const { ok, status } = await send(store, { method: 'DELETE', key: keyOf(task) });
  if (!ok && status !== 404) throw unavailable(`The object store answered ${status}`);
}

const unavailable = (cause: unknown) =>
  new Unavailable('The object store does not answer. Try again.', { cause });

const send = ({ objects, now }: ChangesObjects, request: ObjectCall): Promise<Response> =>
  requestObject(objects, { ...request, now, timeoutMs }).catch((cause: unknown) => {
    throw unavailable(cause);
  });
