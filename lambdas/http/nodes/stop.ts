// POST /api/nodes/{nodeId}/stop
import { sessionRoute } from '../../edge/session-route.js';
import { stop } from './contract.js';
import { startRemoval } from './start-removal.js';

export const handler = sessionRoute(stop, async ({ params: { nodeId }, user, table, now, log }) => {
  const node = await startRemoval(table, { nodeId, userId: user.userId, mode: 'stop', now, log });
  return { status: 200, body: { status: node.status === 'stopped' ? 'stopped' : 'stopping' } };
});
