import type { Table } from '../../shared/table.js';
import type { FieldChanges } from '../records/record-change.js';
import { changeWorkspace } from './change-workspace.js';
import { WorkspaceStopped } from './errors.js';
import { failedGeneration } from './failed-generation.js';
import { findWorkspace, requireGeneration, type WorkspaceGeneration } from './find-workspace.js';
import type { WaitingStep, Workspace } from './workspace.js';
import { isUsable } from './workspace-status.js';

interface Waiting extends WorkspaceGeneration {
  readonly step: WaitingStep;
  readonly taskToken: string;
  /** Fields that the step writes at the same time. */
  readonly set?: FieldChanges<Workspace>;
  readonly now: Date;
}

/**
 * Stores the task token of a saga step that waits for a callback. The condition on the status makes
 * a stop that came first visible to the step; a later stop finds the token. One table call.
 *
 * @throws {WorkspaceStopped}
 */
export async function awaitCallback(table: Table, waiting: Waiting): Promise<Workspace> {
  const { workspaceId, generation, step, taskToken, set, now } = waiting;
  const outcome = await changeWorkspace(table, {
    workspaceId,
    set: { ...set, taskToken, waitingStep: step },
    when: { equals: { generation, status: 'provisioning' } },
    now,
  });
  if (!outcome.changed) throw new WorkspaceStopped(workspaceId);
  return outcome.workspace;
}

interface ReadyOutcome {
  readonly accepted: boolean;
  readonly workspace: Workspace;
}

/**
 * The node reports the workspace ready. A stop, a deletion or a time-out that came first stays. A
 * repeat is accepted: its first reply was lost, or the node restarted the workspace, maybe with the
 * other status. One table call, two for a repeat.
 *
 * @throws {workspaceNotFound | StaleGeneration}
 */
export async function markReady(
  table: Table,
  reporter: WorkspaceGeneration & { readonly nodeId: string },
  { status, now }: { readonly status: 'running' | 'recovering'; readonly now: Date },
): Promise<ReadyOutcome> {
  const { workspaceId, generation, nodeId } = reporter;
  const when = { equals: { generation, nodeId } };
  const set = { readyAt: now.toISOString(), errorMessage: null };
  const outcome = await changeWorkspace(table, { workspaceId, move: 'ready', to: status, set, when, now });
  if (outcome.changed) return { accepted: true, workspace: outcome.workspace };
  const workspace = requireGeneration(outcome.workspace, reporter);
  if (!isUsable(workspace.status) || workspace.status === status)
    return { accepted: workspace.status === status, workspace };
  const again = await changeWorkspace(table, {
    workspaceId,
    move: 'restartedByNode',
    to: status,
    when,
    now,
  });
  return { accepted: again.changed, workspace: requireGeneration(again.workspace, reporter) };
}

type Undo =
  /** The workspace runs: nothing is undone. */
  | { readonly undo: false }
  /** `dispatched`: the request to the node was sent, so the node may have it. */
  | { readonly undo: true; readonly dispatched: boolean };

/**
 * The first step of the undo: from here on no callback can make this generation run. A workspace
 * that was stopped or deleted keeps its status and is undone all the same; a running one is kept,
 * unless it wakes and could not be restored.
 * Repeatable.
 */
export async function markErrored(
  table: Table,
  { workspaceId, generation }: WorkspaceGeneration,
  failure: { readonly errorMessage: string; readonly now: Date },
): Promise<Undo> {
  const { wake, eviction } = (await findWorkspace(table, workspaceId)) ?? {};
  const { when, ...failed } = failedGeneration({ wake, eviction }, 'fail', failure);
  const { workspace } = await changeWorkspace(table, {
    ...failed,
    workspaceId,
    when: { ...when, equals: { generation } },
    now: failure.now,
  });
  if (!workspace || workspace.generation !== generation) return { undo: true, dispatched: false };
  if (isUsable(workspace.status)) return { undo: false };
  return { undo: true, dispatched: workspace.dispatchedAt !== null };
}
