import type { Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';
import { WorkspaceStopped } from './errors.js';
import { requireGeneration, type WorkspaceGeneration } from './find-workspace.js';
import type { WaitingStep, Workspace } from './workspace.js';
import { isUsable } from './workspace-status.js';

export type ReadyOutcome =
  | { readonly accepted: true; readonly workspace: Workspace }
  | { readonly accepted: false; readonly workspace: Workspace };

/**
 * A node says that the workspace runs. Only a workspace that is being provisioned believes it: a stop, a deletion or
 * a time-out that came first stays. A repeat of the same word is accepted again: the answer before was lost, or the
 * node has brought the workspace back by itself, perhaps as the other of the two. One table call, two for that.
 *
 * @throws {WorkspaceNotFound | StaleGeneration}
 */
export async function markReady(
  table: Table,
  life: WorkspaceGeneration & { readonly nodeId: string },
  { status, now }: { readonly status: 'running' | 'recovering'; readonly now: Date },
): Promise<ReadyOutcome> {
  const { workspaceId, generation, nodeId } = life;
  const outcome = await changeWorkspace(table, {
    workspaceId,
    move: 'ready',
    to: status,
    set: { readyAt: now.toISOString(), errorMessage: null },
    when: { equals: { generation, nodeId } },
    now,
  });
  if (outcome.changed) return { accepted: true, workspace: outcome.workspace };
  const workspace = requireGeneration(outcome.workspace, life);
  if (!isUsable(workspace.status) || workspace.status === status)
    return { accepted: workspace.status === status, workspace };
  const remade = await changeWorkspace(table, {
    workspaceId,
    move: 'remade',
    to: status,
    when: { equals: { generation, nodeId } },
    now,
  });
  return { accepted: remade.changed, workspace: requireGeneration(remade.workspace, life) };
}

export interface Waiting {
  readonly workspaceId: string;
  readonly generation: number;
  readonly step: WaitingStep;
  readonly taskToken: string;

  /** What the step learns or does at the same time. */
  readonly set?: Readonly<Record<string, unknown>>;
  readonly now: Date;
}

/**
 * Remembers how to answer the saga step that waits. A token can be written only while the workspace is being
 * provisioned: a stop that came first is heard here, and one that comes later finds the token.
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

export type Undo =
  /** It has come to run after all: nothing is undone. */
  | { readonly undo: false }

  /** What was built for this life has to go; `dispatched`: the node may have heard of it. */
  | { readonly undo: true; readonly dispatched: boolean };
/**
 * The fence before the undo: from here on no callback can bring this life to run. A workspace that was stopped or
 * deleted meanwhile keeps its status and is undone all the same; one that runs is left alone. Repeatable.
 */
export async function markErrored(
  table: Table,
  { workspaceId, generation }: WorkspaceGeneration,
  { errorMessage, now }: { readonly errorMessage: string; readonly now: Date },
): Promise<Undo> {
  const outcome = await changeWorkspace(table, {
    workspaceId,
    move: 'fail',
    to: 'errored',
    set: { errorMessage },
    remove: ['taskToken', 'waitingStep'],
    when: { equals: { generation } },
    now,
  });
  const { workspace } = outcome;
  if (!workspace || workspace.generation !== generation) return { undo: true, dispatched: false };
  if (workspace.status === 'running' || workspace.status === 'recovering') return { undo: false };
  return { undo: true, dispatched: workspace.dispatchedAt !== null };
}
