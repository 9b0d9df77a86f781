import { DomainError, Unavailable } from '../../shared/errors.js';
import type { Log } from '../../shared/log.js';
import type { ObjectStore } from '../../shared/object-store.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import type { Table } from '../../shared/table.js';
import { readGitChanges } from '../node-client/git-changes.js';
import { nodeTimeouts } from '../node-client/node-access.js';
import { callAtCurrentAddress } from '../node-client/node-address.js';
import { withUntracked } from '../node-client/untracked-files.js';
import type { Workspace } from '../workspaces/workspace.js';
import { findChanges, type KeptChanges, putChanges } from './kept-changes.js';
import { findTask } from './load-task.js';
import type { Task } from './task.js';
import { isActive } from './task-status.js';

export interface KeepDeps {
  readonly table: Table;
  readonly keys: SigningKeys;
  readonly objects: ObjectStore;
  readonly now: Date;
  readonly log: Log;
}

/**
 * Keeps what an active task has changed before its workspace sleeps: its creator may end it without
 * a wake. A sleep does not fail by it. One table call.
 */
export async function keepBeforeSleep(parts: KeepDeps, workspace: Workspace, chatId: string): Promise<void> {
  const { table, objects, now, log } = parts;
  if (workspace.projectId === null || workspace.repository === null) return;
  try {
    // A task has the id of its chat.
    const task = await findTask(table, workspace.projectId, chatId);
    if (!task || task.startedAt === null || !isActive(task.status)) return;
    const content = await contentOf(parts, workspace);
    if (!('missing' in content)) await putChanges({ objects, now }, task, content);
  } catch (error) {
    log.error('The changes of a task were not kept', { taskId: chatId, error });
  }
}

/** The saga end-run retries this long while the object store refuses; then the task ends. */
const retryMs = 10 * 60_000;

/**
 * Keeps what an execution changed, before its workspace sleeps or stops: the diff against the base,
 * or why there is none. A reason does not replace what another attempt has kept, because by now the
 * workspace may be away.
 *
 * @throws {Unavailable} the object store does not answer, in the first minutes after the end
 */
export async function keepChanges(parts: KeepDeps, task: Task, workspace: Workspace): Promise<void> {
  if (workspace.repository === null || task.startedAt === null) return;
  const { objects, now, log } = parts;
  try {
    const content = await contentOf(parts, workspace);
    const isKept = 'missing' in content && (await findChanges({ objects, now }, task)) !== undefined;
    if (!isKept) await putChanges({ objects, now }, task, content);
  } catch (error) {
    if (error instanceof Unavailable && hasJustEnded(task, now)) throw error;
    log.error('The changes of a task were not kept', { taskId: task.taskId, error });
  }
}

const hasJustEnded = ({ completedAt, updatedAt }: Task, now: Date): boolean =>
  now.getTime() - Date.parse(completedAt ?? updatedAt) < retryMs;

async function contentOf(
  parts: KeepDeps,
  workspace: Workspace,
): Promise<KeptChanges | { readonly missing: string }> {
  // To ask a sleeping one would wake it.
  if (workspace.status !== 'running')
    return { missing: `The workspace was ${workspace.status} when the task ended.` };
  try {
    return await readOfNode(parts, workspace);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { missing: `The node did not report the changes when the task ended: ${error.message}` };
  }
}

async function readOfNode({ table, keys, now }: KeepDeps, workspace: Workspace): Promise<KeptChanges> {
  const base = `origin/${workspace.baseBranch ?? workspace.branch ?? 'HEAD'}`;
  const timeoutMs = nodeTimeouts.read;
  const changes = await callAtCurrentAddress(table, workspace, async (address) => {
    const access = { keys, address, now, timeoutMs };
    return withUntracked(access, workspace, await readGitChanges(access, workspace, base));
  });
  return { base, keptAt: now.toISOString(), ...changes };
}
