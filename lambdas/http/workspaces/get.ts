// GET /api/workspaces/{workspaceId}
import * as z from 'zod/mini';
import { findOwnIdleRows } from '../../domain/workspaces/idle-rows.js';
import { sessionRoute } from '../../edge/session-route.js';
import { readEnv } from '../../shared/env.js';
import { get } from './contract.js';
import { workspaceDetail } from './workspace-view.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export const handler = sessionRoute(get, async ({ params, user, table }) => {
  const rows = await findOwnIdleRows(table, params.workspaceId, user.userId);
  return { status: 200, body: workspaceDetail(rows, env.WORKSPACE_URL_TEMPLATE) };
});
