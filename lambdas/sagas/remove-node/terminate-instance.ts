// remove-node: TerminateInstance
import { instancesOfNode, isLive, terminateInstances } from '../../domain/nodes/instances.js';
import { step } from '../../edge/step.js';
import { fleet } from '../fleet.js';
import { Removal } from '../inputs.js';

/**
 * For a stop too: nothing starts a stopped instance again, and its disk would cost money.
 * By tag: after a lost response of a launch the record does not have the instance's id.
 */
export const handler = step(Removal, async ({ input: { nodeId } }) => {
  const instances = await instancesOfNode(fleet, nodeId);
  const instanceIds = instances.filter(isLive).map(({ instanceId }) => instanceId);
  await terminateInstances(fleet, instanceIds);
});
