import { InvalidRequest } from '../../shared/errors.js';
import type { Item } from '../records/get-items.js';
import { Node } from './node.js';
import { nodeHealth } from './node-health.js';

/**
 * Whether somebody can have a workspace on the node that they name; it may still be full. Somebody else's is not told apart
 * from none.
 *
 * @throws {InvalidRequest}
 */
export function requireUsableNode(item: Item | undefined, userId: string, now: Date): void {
  const node = item && Node.parse(item);
  if (node?.userId !== userId || node.status === 'deleted') throw refused('You have no such node');
  if (node.status !== 'running' || node.role !== 'workspace' || node.retiredAt !== undefined)
    throw refused('It takes no workspaces');
  if (nodeHealth(node.lastHeartbeatAt, now) === 'unhealthy') throw refused('It was not heard of for minutes');
}

const refused = (message: string) =>
  new InvalidRequest('The request is invalid', [{ field: 'nodeId', message }]);
