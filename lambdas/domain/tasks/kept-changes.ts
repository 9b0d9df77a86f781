import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { GitDiff, GitStatus } from '../../../protocol/workspace-files.js';
import { DomainError } from '../../shared/errors.js';
import { deleteGzip, type GzipObjects, getGzip, putGzip } from '../../shared/gzip-objects.js';
import type { Task } from './task.js';

/** The changes of a task at the end of its execution. */
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

/** A node cuts off a diff at 1 MiB, and its answer at 2 MiB. */
const maxBytes = 10 * 1024 * 1024;

type Of = Pick<Task, 'projectId' | 'taskId'>;

/** One object a task: the next execution replaces it. */
const keyOf = ({ projectId, taskId }: Of): string => `task-changes/${projectId}/${taskId}.json.gz`;

export const changesNotKept = (reason: string) =>
  new DomainError('not_found', `There are no kept changes. ${reason}`, { code: 'CHANGES_NOT_KEPT' });

/** Stores the changes of this execution, or why there are none. A repeat replaces them. */
export async function putChanges(
  store: GzipObjects,
  task: Of & Pick<Task, 'run'>,
  content: Content,
): Promise<void> {
  const body = gzipSync(JSON.stringify({ run: task.run, content }));
  await putGzip(store, keyOf(task), body);
}

/** The stored content of this execution; undefined when there is none. */
export async function findChanges(
  store: GzipObjects,
  task: Of & Pick<Task, 'run'>,
): Promise<Content | undefined> {
  const bytes = await getGzip(store, keyOf(task));
  if (!bytes) return undefined;
  const text = gunzipSync(bytes, { maxOutputLength: maxBytes }).toString('utf8');
  const { run, content } = Stored.parse(JSON.parse(text));
  return run === task.run ? content : undefined;
}

/**
 * The changes that a task had when it ended.
 *
 * @throws {changesNotKept | Unavailable}
 */
export async function readChanges(store: GzipObjects, task: Task): Promise<KeptChanges> {
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
export const deleteChanges = (store: GzipObjects, task: Of): Promise<void> => deleteGzip(store, keyOf(task));
