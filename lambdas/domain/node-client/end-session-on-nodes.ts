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

/** Nodes on which an agent may run. */
const serving: ReadonlySet<NodeStatus> = new Set(['running', 'errored']);

interface SessionReport {
  readonly table: Table;
  readonly keys: SigningKeys;
  readonly now: Date;
  readonly log: Log;
}

interface EndedSession {
  readonly userId: string;
  readonly sessionHash: string;
}

/**
 * Reports the ended session to every node of the person. A node accepts a report twice, so a
 * repeat calls all nodes again. One table call.
 *
 * @throws {AggregateError} not all nodes received the report
 */
export async function endSessionOnNodes(report: SessionReport, ended: EndedSession): Promise<void> {
  const { Items = [] } = await report.table.client.send(
    new QueryCommand({
      TableName: report.table.name,
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :owner',
      ExpressionAttributeValues: { ':owner': ownerOfNodes(ended.userId) },
    }),
  );
  const nodes = Items.map((item) => Node.parse(item)).filter(({ status }) => serving.has(status));
  const results = await Promise.allSettled(nodes.map((node) => reportTo(report, node, ended)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      `${failures.length} of ${nodes.length} nodes did not receive the report`,
    );
}

async function reportTo({ keys, now, log }: SessionReport, node: Node, ended: EndedSession): Promise<void> {
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
    // An agent of an earlier release has no such route; a repeat would not help.
    if (!(error instanceof NodeRefused && error.status === 404)) throw error;
    log.warn('The agent of the node has no route to end sessions', { nodeId: node.nodeId });
  }
}
