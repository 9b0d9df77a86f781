// GET /api/workspaces
import * as z from 'zod/mini';
import { listWorkspaces } from '../../domain/workspaces/find-workspace.js';
import { sessionRoute } from '../../edge/session-route.js';
import { readEnv } from '../../shared/env.js';
import { list } from './contract.js';
import { workspaceSummary } from './workspace-view.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export const handler = sessionRoute(list, async ({ query, user, table }) => {
  const { limit, cursor, ...filter } = query;
  const page = { limit, cursor, cursorKey: user.cursorKey };
  const { workspaces, nextCursor } = await listWorkspaces(table, { userId: user.userId, filter }, page);
  const views = workspaces.map((workspace) => workspaceSummary(workspace, env.WORKSPACE_URL_TEMPLATE));
  return { status: 200, body: { workspaces: views, nextCursor } };
});
