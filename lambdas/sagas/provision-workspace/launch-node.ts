// provision-workspace: LaunchNode (waits for the node's ready callback)
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { issueBootstrapToken } from '../../domain/nodes/bootstrap.js';
import { changeNode } from '../../domain/nodes/change-node.js';
import {
  InstanceNotInState,
  NodeAlreadyReady,
  NodeGone,
  NodeLaunchRefused,
} from '../../domain/nodes/errors.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { fits, type InstanceType, resourcesOf } from '../../domain/nodes/instance-types.js';
import {
  instancesOfNode,
  isLive,
  launchInstance,
  ownInstance,
  terminateInstances,
} from '../../domain/nodes/instances.js';
import { startCooldowns } from '../../domain/nodes/launch-cooldown.js';
import type { Node } from '../../domain/nodes/node.js';
import { awaitCallback } from '../../domain/workspaces/provisioning.js';
import { offer } from '../../edge/offer.js';
import { step } from '../../edge/step.js';
import { readEnv } from '../../shared/env.js';
import { fleet } from '../fleet.js';
import { GenerationInput } from '../inputs.js';
import { type LaunchCall, logLaunch, newBoot } from './launch-call.js';
import { exhaustedTypes, launchInOneOf, launchPlaces, mayPass, refusalInWords } from './launch-places.js';
import { startWaitingMachine } from './start-waiting-machine.js';

const env = readEnv({
  LAUNCH_TEMPLATE_ID: z.string(),
  SUBNET_IDS: z.string().check(z.minLength(1)),
  ROOT_DEVICE: z.string().check(z.minLength(1)),
});

const subnetIds = env.SUBNET_IDS.split(',');

const Input = z.extend(GenerationInput, { nodeId: Ulid, taskToken: z.string() });

export const handler = step(Input, async ({ input, table, now, newId, log }) => {
  const { workspaceId, generation, nodeId, taskToken } = input;
  // Stores the token before it reads the node: a ready callback after the read finds the token.
  await awaitCallback(table, { workspaceId, generation, step: 'launch-node', taskToken, now });
  const node = await findNode(table, nodeId);
  if (node?.status === 'running') throw new NodeAlreadyReady(nodeId);
  if (node?.status !== 'provisioning') throw new NodeGone(nodeId);

  const alive = (await instancesOfNode(fleet, nodeId)).filter(isLive);
  const own = ownInstance(alive, node.instanceId);
  const call = { table, node, workspace: { workspaceId, generation }, now, newId };
  const waits = own?.isWarm && own.state === 'stopped';
  const started = waits ? await startWaitingMachine(call, own) : own;
  const { instanceId, instanceType } = started ?? (await launch(call));
  const type = offer.types.find(({ name }) => name === instanceType);
  const outcome = await changeNode(table, {
    nodeId,
    // A larger machine than planned has room for more.
    set: { instanceId, ...(type ? { instanceType: type.name, resources: resourcesOf(type) } : {}) },
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

async function launch(
  call: LaunchCall,
): Promise<{ readonly instanceId: string; readonly instanceType: string }> {
  const { table, node, now } = call;
  const { nodeId, name, launchedFor } = node;
  const { token, userData } = newBoot(node);
  // An earlier launch was interrupted and its instance runs: EC2 lists it with a delay.
  if (!(await issueBootstrapToken(table, { nodeId, launchedFor, token, now }))) {
    throw new InstanceNotInState('EC2 does not show the instance of the node yet');
  }
  const places = launchPlaces(nodeId, subnetIds, typesOf(node));
  const { launched, refusals } = await launchInOneOf(places, {
    launch: (place) =>
      launchInstance(fleet, {
        ...place,
        nodeId,
        name,
        launchTemplateId: env.LAUNCH_TEMPLATE_ID,
        rootDevice: env.ROOT_DEVICE,
        userData,
        // EC2 refuses a client token with two different requests, so the token names what differs.
        clientToken: clientToken(nodeId, `${token} ${place.subnetId} ${place.type.name}`),
      }),
    report: (refusal, next) => logLaunch(call, 'failed', refusalInWords(refusal, next)),
  });
  const exhausted = exhaustedTypes(refusals, places, launched !== undefined);
  if (exhausted.length > 0) await startCooldowns(table, exhausted, now);
  if (launched) return { instanceId: launched.instanceId, instanceType: launched.type.name };
  const [passing] = refusals.filter(mayPass);
  if (passing) throw new NodeLaunchRefused(`EC2 refused the node (${passing.error.name})`);
  throw refusals[0]?.error;
}

/** What has been reserved on the node since needs all that was planned. */
function typesOf({ resources }: Node): readonly InstanceType[] {
  const types = offer.types.filter((type) => !resources || fits(resources, resourcesOf(type)));
  if (types.length > 0) return types;
  throw new Error('No instance type has the resources that the node was planned with');
}

const clientToken = (nodeId: string, request: string): string =>
  `${nodeId}-${createHash('sha256').update(request).digest('hex').slice(0, 16)}`;
