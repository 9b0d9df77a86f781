import type { Table } from '../../shared/table.js';
import type { Offer } from '../nodes/instance-types.js';
import { raiseMemory } from '../nodes/raise-memory.js';
import { changeWorkspace } from '../workspaces/change-workspace.js';
import { resolvedReservationOf } from '../workspaces/reservation.js';
import type { Workspace } from '../workspaces/workspace.js';

interface Raise {
  /** The setting of its project. */
  readonly isAllowed: boolean;
  readonly offer: Offer;
  readonly now: Date;
}

/**
 * The workspace, with more memory when it was evicted because it ran out of it: once for each
 * eviction, however often it is placed. One table call when it is raised, otherwise none.
 */
export async function raiseAfterOom(
  table: Table,
  workspace: Workspace,
  { isAllowed, offer, now }: Raise,
): Promise<Workspace> {
  const { workspaceId, generation, eviction } = workspace;
  if (!isAllowed || eviction?.reason !== 'oom_kill' || eviction.isRaised) return workspace;
  const raised = {
    ...raiseMemory(resolvedReservationOf(workspace), offer),
    eviction: { ...eviction, isRaised: true as const },
  };
  const when = { equals: { generation, status: 'pending' } } as const;
  const outcome = await changeWorkspace(table, { workspaceId, set: raised, when, now });
  // A stop that came first is seen by the placement.
  return outcome.changed ? { ...workspace, ...raised } : workspace;
}
