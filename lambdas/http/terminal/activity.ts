// POST /api/terminal/activity
import { workspaceNotInState } from '../../domain/workspaces/errors.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { recordUse } from '../../domain/workspaces/record-use.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { sessionRoute } from '../../edge/session-route.js';
import { activity } from './contract.js';

export const handler = sessionRoute(activity, async ({ body, user, table, now }) => {
  const { workspaceId } = body;
  const { status, nodeId } = await findOwnWorkspace(table, workspaceId, user.userId);
  if (!isUsable(status) || !nodeId) throw workspaceNotInState(status, 'Only a running workspace is used.');
  await recordUse(table, { nodeId, workspaceIds: [workspaceId], now });
  return { status: 200, body: { ok: true } };
});
