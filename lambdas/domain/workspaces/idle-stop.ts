import type { Table } from '../../shared/table.js';
import { ended, endings } from '../endings/endings.js';
import { changeWorkspace } from './change-workspace.js';
import { writeStopMarker } from './stopping.js';
import type { Workspace } from './workspace.js';

/**
 * Claims the stop of a workspace that nobody uses, on the condition that its row is as it was read:
 * each use, session and request for it changes the row. False when one came first. Two table calls.
 */
export async function claimIdleStop(
  table: Table,
  { workspaceId, generation, updatedAt }: Workspace,
  now: Date,
): Promise<boolean> {
  await writeStopMarker(table, workspaceId, now);
  const when = { equals: { generation, updatedAt }, absent: ['deletion', 'sleep', 'wake'] } as const;
  const set = { endedBecause: ended(endings.unused, now) };
  const stop = { workspaceId, move: 'stop', to: 'stopping', set, when, now } as const;
  const { changed } = await changeWorkspace(table, stop);
  return changed;
}
