// provision-workspace: RegisterNode
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { changeNode } from '../../domain/nodes/change-node.js';
import { InstanceNotYet, NodeGone } from '../../domain/nodes/errors.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { instancesOfNode } from '../../domain/nodes/instances.js';
import { nodeHost, upsertRecord } from '../../domain/nodes/node-dns.js';
import { step } from '../../edge/step.js';
import { fleet } from '../fleet.js';
import { nodeZone } from '../node-zone.js';

const Input = z.object({ nodeId: Ulid });

/** Where the node can be reached: its public address, under its name where nodes have a domain. */
export const handler = step(Input, async ({ input: { nodeId }, table, now }) => {
  const node = await findNode(table, nodeId);
  const instances = await instancesOfNode(fleet, nodeId);
  const ipAddress = instances.find(({ instanceId }) => instanceId === node?.instanceId)?.ipAddress;
  if (!ipAddress) throw new InstanceNotYet('The instance has no public address yet');

  const host = nodeZone ? nodeHost(nodeId, nodeZone.domain) : ipAddress;
  if (nodeZone) await upsertRecord(nodeZone, host, ipAddress);
  const outcome = await changeNode(table, {
    nodeId,
    set: { host, ipAddress },
    when: { equals: { status: 'running' } },
    now,
  });
  if (!outcome.changed) throw new NodeGone(nodeId);
});
