import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { EndSessionsResult } from '../../../protocol/node-api.js';
import type { Log } from '../../shared/log.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import { byOwner, type Table } from '../../shared/table.js';
import { NodeRefused } from '../nodes/errors.js';
import { Node, ownerOfNodes } from '../nodes/node.js';
import type { NodeStatus } from '../nodes/node-status.js';
import { issueToken } from '../tokens/issue-token.js';
import { callNode } from './call-node.js';
import { nodeTimeouts } from './node-access.js';
import { addressOf } from './node-address.js';

/** An agent may run there; the others are not there yet, or hold no workspace any more. */
const serving: ReadonlySet<NodeStatus> = new Set(['running', 'errored']);

export interface Telling {
  readonly table: Table;
  readonly keys: SigningKeys;
  readonly now: Date;
  readonly log: Log;
}

export interface EndedSession {
  readonly userId: string;
  readonly sessionHash: string;
}

/**
 * Tells every node of the person that the session is over. To be told twice does a node no harm, so a repeat tells all of
 * them again; one that has gone meanwhile is not asked any more. One table call.
 *
 * @throws {AggregateError} not all of them have heard it
 */
export async function endSessionOnNodes(telling: Telling, ended: EndedSession): Promise<void> {
  const { Items = [] } = await telling.table.client.send(
    new QueryCommand({
      TableName: telling.table.name,
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :owner',
      ExpressionAttributeValues: { ':owner': ownerOfNodes(ended.userId) },
    }),
  );
  const nodes = Items.map((item) => Node.parse(item)).filter(({ status }) => serving.has(status));
  const results = await Promise.allSettled(nodes.map((node) => tell(telling, node, ended)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${nodes.length} nodes have not heard it`);
}

async function tell({ keys, now, log }: Telling, node: Node, ended: EndedSession): Promise<void> {
  const address = addressOf(node);
  if (!address) return;
  const claims = { sub: ended.userId, node: node.nodeId };
  const { token } = await issueToken(keys, 'management', { claims, now });
  try {
    await callNode(address, {
      method: 'POST',
      path: '/sessions/ended',
      body: { sessions: [ended.sessionHash] },
      token,
      timeoutMs: nodeTimeouts.handOver,
      reply: EndSessionsResult,
    });
  } catch (error) {
    // An agent of an earlier release does not know how; asking it again would not teach it.
    if (!(error instanceof NodeRefused && error.status === 404)) throw error;
    log.warn('The agent of the node has no route to end sessions', { nodeId: node.nodeId });
  }
}
