// provision-workspace: RegisterNode
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { changeNode } from '../../domain/nodes/change-node.js';
import { InstanceNotInState, NodeGone, NodeNotReady } from '../../domain/nodes/errors.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { instancesOfNode, isLive, ownInstance, terminateInstances } from '../../domain/nodes/instances.js';
import { nodeHost, upsertRecords } from '../../domain/nodes/node-dns.js';
import { reportTaskProgress } from '../../domain/tasks/task-progress.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { nodeZone } from '../../edge/node-zone.js';
import { step } from '../../edge/step.js';
import { fleet } from '../fleet.js';
import { GenerationInput } from '../inputs.js';

const Input = z.extend(GenerationInput, { nodeId: Ulid });

/**
 * Stores the node's address, and its DNS name in a nodes domain. Terminates other instances that an
 * interrupted launch has started for the node.
 */
export const handler = step(Input, async ({ input: { nodeId, workspaceId }, table, now, log }) => {
  const node = await findNode(table, nodeId);
  // It is being launched for another workspace.
  if (node?.status === 'provisioning') throw new NodeNotReady(nodeId);
  if (node?.status !== 'running') throw new NodeGone(nodeId);
  const instances = await instancesOfNode(fleet, nodeId);
  const own = ownInstance(instances, node.instanceId);
  if (!own?.ipAddress) throw new InstanceNotInState('The instance has no public address yet');
  const { instanceId, ipAddress } = own;

  const others = instances.filter((one) => one !== own && isLive(one)).map((one) => one.instanceId);
  if (others.length > 0) log.warn('Second instance of a node terminated', { nodeId, instanceId, others });
  await terminateInstances(fleet, others);
  const host = nodeZone ? nodeHost(nodeId, nodeZone.domain) : ipAddress;
  if (nodeZone) await upsertRecords(nodeZone, [host], ipAddress);
  const outcome = await changeNode(table, {
    nodeId,
    set: { host, ipAddress, instanceId },
    when: { equals: { status: 'running' } },
    now,
  });
  if (!outcome.changed) throw new NodeGone(nodeId);
  const workspace = await findWorkspace(table, workspaceId);
  if (workspace) await reportTaskProgress(table, workspace, { step: 'node_agent_ready', now });
});
