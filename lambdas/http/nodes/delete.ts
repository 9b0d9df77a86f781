// DELETE /api/nodes/{nodeId}
import { sessionRoute } from '../../edge/session-route.js';
import { delete as removal } from './contract.js';
import { startRemoval } from './start-removal.js';

export const handler = sessionRoute(removal, async ({ params: { nodeId }, user, table, now, log }) => {
  const node = await startRemoval(table, { nodeId, userId: user.userId, mode: 'delete', now, log });
  return node.status === 'deleted'
    ? { status: 200, body: { success: true, deletionStatus: 'confirmed', nodeStatus: 'deleted' } }
    : { status: 202, body: { success: true, deletionStatus: 'pending', nodeStatus: 'deleting' } };
});
