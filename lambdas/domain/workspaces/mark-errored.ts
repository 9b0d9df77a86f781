import type { Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';
import type { Life } from './find-workspace.js';

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
  { workspaceId, generation }: Life,
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
