import type { Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';
import { type Life, requireLife } from './find-workspace.js';
import type { Workspace } from './workspace.js';
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
  if (!isUsable(workspace.status) || workspace.status === status)
    return { accepted: workspace.status === status, workspace };
  const remade = await changeWorkspace(table, {
    workspaceId,
    move: 'remade',
    to: status,
    when: { equals: { generation, nodeId } },
    now,
  });
  return { accepted: remade.changed, workspace: requireLife(remade.workspace, life) };
}
