// remove-node: TerminateInstance
import { instancesOfNode, isLive, stopInstances, terminateInstances } from '../../domain/nodes/instances.js';
import { step } from '../../edge/step.js';
import { fleet } from '../fleet.js';
import { Removal } from '../inputs.js';

/** By tag: after a lost response of a launch the record does not have the instance's id. */
export const handler = step(Removal, async ({ input: { nodeId, mode } }) => {
  const instances = await instancesOfNode(fleet, nodeId);
  const instanceIds = instances.filter(isLive).map(({ instanceId }) => instanceId);
  await (mode === 'stop' ? stopInstances(fleet, instanceIds) : terminateInstances(fleet, instanceIds));
});
