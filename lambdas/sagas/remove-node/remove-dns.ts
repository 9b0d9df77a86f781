// remove-node: RemoveDns
import { findNode } from '../../domain/nodes/find-node.js';
import { deleteRecords, nodeHost } from '../../domain/nodes/node-dns.js';
import { nodeZone } from '../../edge/node-zone.js';
import { step } from '../../edge/step.js';
import { Removal } from '../inputs.js';

export const handler = step(Removal, async ({ input: { nodeId }, table }) => {
  if (!nodeZone) return;
  const node = await findNode(table, nodeId);
  if (node?.ipAddress) await deleteRecords(nodeZone, [nodeHost(nodeId, nodeZone.domain)], node.ipAddress);
});
