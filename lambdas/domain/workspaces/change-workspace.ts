import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import type { Change } from '../records/changes.js';
import { type RecordChange, recordChange } from '../records/record-change.js';
import { Workspace, workspaceKey } from './workspace.js';
import { sourcesOf, type WorkspaceTransition } from './workspace-status.js';

interface NoTransition {
  readonly move?: undefined;
  readonly to?: undefined;
}

/** A change of a workspace's row; the sources of its `move` become part of the condition. */
type WorkspaceChange = RecordChange<Workspace> & { readonly workspaceId: string } & (
    | WorkspaceTransition
    | NoTransition
  );

/** The waiting step has its result, or none is needed: nothing waits for a callback any more. */
export const noWaitingStep = { taskToken: null, waitingStep: null } as const;

/** A sleep in progress ends without effect. */
export const noSleep = { sleep: null } as const;

/** A stop ends a wake in progress, and the failures before it. */
export const noWake = { wake: null, wakeFailure: null } as const;

/** A stop ends what was left to do after an eviction. */
export const noEviction = { eviction: null, recovery: null, endedBecause: null } as const;

/** Every change of a row is made here: alone by `changeWorkspace`, or in a transaction. */
export function workspaceChange({ workspaceId, move, to, ...change }: WorkspaceChange): Change {
  const key = workspaceKey(workspaceId);
  if (move === undefined) return recordChange<Workspace>(key, change);
  const { set, when, now } = change;
  return recordChange<Workspace>(key, {
    ...change,
    set: { ...set, status: to, statusChangedAt: now.toISOString() },
    when: { ...when, oneOf: { ...when?.oneOf, status: sourcesOf(move) } },
  });
}

type WorkspaceOutcome =
  | { readonly changed: true; readonly workspace: Workspace }
  | { readonly changed: false; readonly workspace: Workspace | undefined };

/** Compare and set; returns the row after the change (or `before` it), or the unchanged row. */
export async function changeWorkspace(
  table: Table,
  change: WorkspaceChange,
  returning: 'before' | 'after' = 'after',
): Promise<WorkspaceOutcome> {
  const outcome = await changeItem(
    table,
    workspaceChange(change),
    returning === 'before' ? 'ALL_OLD' : 'ALL_NEW',
  );
  if (outcome.changed) return { changed: true, workspace: Workspace.parse(outcome.item) };
  return { changed: false, workspace: outcome.item && Workspace.parse(outcome.item) };
}
