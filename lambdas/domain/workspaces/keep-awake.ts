import type { Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';
import { workspaceNotInState } from './errors.js';
import { findOwnIdleRows } from './idle-rows.js';
import { type IdleRows, isAwake } from './idle-rules.js';
import type { Workspace } from './workspace.js';

interface Wish {
  readonly workspaceId: string;
  readonly userId: string;
  readonly minutes: number;
  readonly now: Date;
}

/**
 * Keeps a running workspace from sleeping and stopping by itself; an earlier wish for a later time
 * stays. Three table calls.
 *
 * @throws {workspaceNotFound} it does not exist, or belongs to somebody else
 * @throws {workspaceNotInState} it does not run, or has begun to sleep or stop
 */
export async function keepAwake(table: Table, wish: Wish): Promise<IdleRows> {
  const { workspaceId, userId, minutes, now } = wish;
  const rows = await findOwnIdleRows(table, workspaceId, userId);
  const seen = rows.workspace;
  if (!isAwake(seen)) throw refused(seen);
  const until = new Date(now.getTime() + minutes * 60_000).toISOString();
  if (seen.keptAwakeUntil !== undefined && seen.keptAwakeUntil >= until) return rows;
  const { changed, workspace } = await changeWorkspace(table, {
    workspaceId,
    set: { keptAwakeUntil: until },
    when: {
      equals: { generation: seen.generation },
      oneOf: { status: ['running', 'recovering'] },
      absent: ['sleep', 'wake', 'deletion'],
    },
    now,
  });
  if (!changed) throw refused(workspace ?? seen);
  return { ...rows, workspace };
}

const refused = ({ status }: Workspace) =>
  workspaceNotInState(
    status,
    'Only a running workspace that has not begun to sleep or stop can be kept awake.',
  );
