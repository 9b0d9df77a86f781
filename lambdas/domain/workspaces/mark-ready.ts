import type { Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';
import { type Life, requireLife } from './find-workspace.js';
import type { Workspace } from './workspace.js';

export type ReadyOutcome =
  | { readonly accepted: true; readonly workspace: Workspace }
  | { readonly accepted: false; readonly workspace: Workspace };

/**
 * A node says that the workspace runs. Only a workspace that is being provisioned believes it: a stop, a deletion or
 * a time-out that came first stays. A repeat of the same word after a lost answer is accepted again. One table call.
 *
 * @throws {WorkspaceNotFound | StaleGeneration}
 */
export async function markReady(
  table: Table,
  life: Life & { readonly nodeId: string },
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
  const workspace = requireLife(outcome.workspace, life);
  return { accepted: workspace.status === status, workspace };
}
