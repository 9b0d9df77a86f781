import type { NodeAddress } from './call-node.js';
import { type Node, nodeUrl } from './node.js';

/** Where to call a node, if it can be called: it has reported ready and has not been removed. */
export function addressOf(node: Node | undefined): NodeAddress | undefined {
  if (!node || node.status === 'deleted') return undefined;
  const url = nodeUrl(node);
  return url === null ? undefined : { nodeId: node.nodeId, url, certificatePem: node.certificatePem };
}
