// GET /api/projects/{projectId}/workspaces/{workspaceId}/resource-history
import { workspaceNotFound } from '../../domain/workspaces/errors.js';
import { Workspace, workspaceKey } from '../../domain/workspaces/workspace.js';
import { ofWorkspace } from './contract.js';
import { historyRoute } from './history-route.js';

export const handler = historyRoute(ofWorkspace, {
  of: 'workspace',
  param: 'workspaceId',
  key: (_projectId, workspaceId) => workspaceKey(workspaceId),
  idOf: (item) => Workspace.parse(item).workspaceId,
  missing: workspaceNotFound,
});
