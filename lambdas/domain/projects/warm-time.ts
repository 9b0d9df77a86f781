import type { Table } from '../../shared/table.js';
import type { Node } from '../nodes/node.js';
import { defaultWarmMs } from '../nodes/node-life.js';
import { getItem } from '../records/batch-items.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import { Project, projectKey } from './project.js';

/**
 * How long an empty node waits for the next workspace: the setting of the project of the last one.
 * Two table calls, one for a workspace without a project, none for a node that had none.
 */
export async function warmMsOf(table: Table, { lastWorkspaceId }: Pick<Node, 'lastWorkspaceId'>) {
  const last = lastWorkspaceId ? await findWorkspace(table, lastWorkspaceId) : undefined;
  if (!last?.projectId) return defaultWarmMs;
  const key = projectKey(last.projectId);
  const project = await getItem(table, key);
  return (project && Project.parse(project).settings?.warmNodeTimeoutMs) ?? defaultWarmMs;
}
