// remove-node: TerminateInstance
import { instancesOfNode, isLive, stopInstances, terminateInstances } from '../../domain/nodes/instances.js';
import { step } from '../../edge/step.js';
import { fleet } from '../fleet.js';
import { Removal } from '../removal.js';

/** By tag, not by the id in the row: a launch whose answer was lost has an instance that the row does not know. */
export const handler = step(Removal, async ({ input: { nodeId, mode } }) => {
  const instances = await instancesOfNode(fleet, nodeId);
  const instanceIds = instances.filter(isLive).map(({ instanceId }) => instanceId);
  await (mode === 'stop' ? stopInstances(fleet, instanceIds) : terminateInstances(fleet, instanceIds));
});
