// GET /api/nodes/{nodeId}
import * as z from 'zod/mini';
import { findNodeWithWorkspaces, requireOwnNode } from '../../domain/nodes/find-node.js';
import { sessionRoute } from '../../edge/session-route.js';
import { readEnv } from '../../shared/env.js';
import { workspaceView } from '../workspaces/workspace-view.js';
import { get } from './contract.js';
import { nodeView } from './node-view.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export const handler = sessionRoute(get, async ({ params: { nodeId }, user, table, now }) => {
  const found = await findNodeWithWorkspaces(table, nodeId);
  const node = requireOwnNode(found.node, nodeId, user.userId);
  const workspaces = found.workspaces.map((one) => workspaceView(one, env.WORKSPACE_URL_TEMPLATE));
  return { status: 200, body: { ...nodeView(node, now), workspaces } };
});
