// provision-workspace: LaunchNode (waits for the node's ready callback)
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { issueBootstrapToken, newBootstrapToken, userData } from '../../domain/nodes/bootstrap.js';
import { changeNode } from '../../domain/nodes/change-node.js';
import { InstanceNotInState, NodeAlreadyReady, NodeGone } from '../../domain/nodes/errors.js';
import { findNode } from '../../domain/nodes/find-node.js';
import {
  instancesOfNode,
  isLive,
  launchInstance,
  ownInstance,
  terminateInstances,
} from '../../domain/nodes/instances.js';
import type { Node } from '../../domain/nodes/node.js';
import { awaitCallback } from '../../domain/workspaces/provisioning.js';
import { step } from '../../edge/step.js';
import { readEnv } from '../../shared/env.js';
import type { Table } from '../../shared/table.js';
import { fleet } from '../fleet.js';
import { GenerationInput } from '../inputs.js';
import { launchInOneOf, launchPlaces } from './launch-places.js';

const env = readEnv({
  LAUNCH_TEMPLATE_ID: z.string(),
  SUBNET_IDS: z.string().check(z.minLength(1)),
  /** In the order in which they are tried; the first is the one of the launch template. */
  INSTANCE_TYPES: z.string().check(z.minLength(1)),
  PUBLIC_URL: z.url(),
  CALLBACK_URL: z.url(),
});

const subnetIds = env.SUBNET_IDS.split(',');
const instanceTypes = env.INSTANCE_TYPES.split(',');

const Input = z.extend(GenerationInput, { nodeId: Ulid, taskToken: z.string() });

export const handler = step(Input, async ({ input, table, now, log }) => {
  const { workspaceId, generation, nodeId, taskToken } = input;
  // Stores the token before it reads the node: a ready callback after the read finds the token.
  await awaitCallback(table, { workspaceId, generation, step: 'launch-node', taskToken, now });
  const node = await findNode(table, nodeId);
  if (node?.status === 'running') throw new NodeAlreadyReady(nodeId);
  if (node?.status !== 'provisioning') throw new NodeGone(nodeId);

  const alive = (await instancesOfNode(fleet, nodeId)).filter(isLive);
  const instanceId = ownInstance(alive, node.instanceId)?.instanceId ?? (await launch(table, node, now));
  const outcome = await changeNode(table, {
    nodeId,
    set: { instanceId },
    when: { oneOf: { status: ['provisioning', 'running'] } },
    now,
  });
  if (!outcome.changed) {
    // The node was given up while EC2 started its instance, which no record names.
    await terminateInstances(fleet, [instanceId]);
    throw new NodeGone(nodeId);
  }
  log.info('Node launched', { nodeId, instanceId, workspaceId });
});

async function launch(table: Table, { nodeId, name, launchedFor }: Node, now: Date): Promise<string> {
  const token = newBootstrapToken();
  // An earlier launch was interrupted and its instance runs: EC2 lists it with a delay.
  if (!(await issueBootstrapToken(table, { nodeId, launchedFor, token, now }))) {
    throw new InstanceNotInState('EC2 does not show the instance of the node yet');
  }
  const boot = {
    NODE_ID: nodeId,
    CONTROL_PLANE_URL: env.PUBLIC_URL,
    CALLBACK_URL: env.CALLBACK_URL,
    BOOTSTRAP_TOKEN: token,
  };
  const places = launchPlaces(nodeId, subnetIds, instanceTypes);
  return launchInOneOf(places, ({ subnetId, instanceType }) =>
    launchInstance(fleet, {
      nodeId,
      name,
      launchTemplateId: env.LAUNCH_TEMPLATE_ID,
      subnetId,
      instanceType,
      userData: userData(boot),
      // EC2 refuses a client token with two different requests, so the token names what differs.
      clientToken: clientToken(nodeId, `${token} ${subnetId} ${instanceType ?? ''}`),
    }),
  );
}

const clientToken = (nodeId: string, request: string): string =>
  `${nodeId}-${createHash('sha256').update(request).digest('hex').slice(0, 16)}`;
