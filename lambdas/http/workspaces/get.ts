// GET /api/workspaces/{workspaceId}
import * as z from 'zod/mini';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { sessionRoute } from '../../edge/session-route.js';
import { readEnv } from '../../shared/env.js';
import { get } from './contract.js';
import { workspaceView } from './workspace-view.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export const handler = sessionRoute(get, async ({ params, user, table }) => {
  const workspace = await findOwnWorkspace(table, params.workspaceId, user.userId);
  return { status: 200, body: workspaceView(workspace, env.WORKSPACE_URL_TEMPLATE) };
});
