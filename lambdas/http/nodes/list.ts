// GET /api/nodes
import { pageNodes } from '../../domain/nodes/find-node.js';
import { sessionRoute } from '../../edge/session-route.js';
import { list } from './contract.js';
import { nodeView } from './node-view.js';

export const handler = sessionRoute(list, async ({ query, user, table, now }) => {
  const page = { limit: query.limit, cursor: query.cursor, cursorKey: user.cursorKey };
  const { nodes, nextCursor } = await pageNodes(table, user.userId, page);
  return { status: 200, body: { nodes: nodes.map((node) => nodeView(node, now)), nextCursor } };
});
