import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import type { Change } from '../records/changes.js';
import type { Conditions } from '../records/conditions.js';
import { Workspace, workspaceKey } from './workspace.js';
import { sourcesOf, type WorkspaceMove, type WorkspaceStatus } from './workspace-status.js';

export interface WorkspaceChange {
  readonly workspaceId: string;
  /** The move it makes; its sources become part of the condition. */
  readonly move?: WorkspaceMove;
  readonly to?: WorkspaceStatus;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  readonly when?: Conditions;
  readonly now: Date;
}

/** The change of a row that clients see: version and times move with it. */
export function workspaceChange({ workspaceId, move, to, set, remove, when, now }: WorkspaceChange): Change {
  const at = now.toISOString();
  return {
    key: workspaceKey(workspaceId),
    set: { ...set, ...(to ? { status: to, statusChangedAt: at } : {}), updatedAt: at },
    ...(remove ? { remove } : {}),
    add: { version: 1 },
    when: {
      exists: true,
      ...when,
      ...(move ? { oneOf: { ...when?.oneOf, status: sourcesOf(move) } } : {}),
    },
  };
}

export type WorkspaceOutcome =
  | { readonly changed: true; readonly workspace: Workspace }
  | { readonly changed: false; readonly workspace: Workspace | undefined };

/** Compare and set on one workspace; `workspace` is the row after it (`before` it, if asked), or as it stands. */
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
