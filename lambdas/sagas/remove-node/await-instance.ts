// remove-node: AwaitInstance
import { InstanceNotInState } from '../../domain/nodes/errors.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { instancesOfNode } from '../../domain/nodes/instances.js';
import { step } from '../../edge/step.js';
import { fleet } from '../fleet.js';
import { Removal } from '../inputs.js';

/** EC2 lists the instance of a launch that was in progress within this time, or never. */
const launchSettlesMs = 60_000;

/**
 * @throws {InstanceNotInState} EC2 has not said yet that it is gone; the state machine asks again
 */
export const handler = step(Removal, async ({ input: { nodeId }, table, now }) => {
  const instances = await instancesOfNode(fleet, nodeId);
  const other = instances.find(({ state }) => state !== 'terminated');
  if (other) throw new InstanceNotInState(`The instance ${other.instanceId} is ${other.state}`);

  const node = await findNode(table, nodeId);
  if (instances.length > 0 || !node || node.instanceId !== null) return;
  const claimedAt = Date.parse(node.removal?.claimedAt ?? node.updatedAt);
  if (now.getTime() - claimedAt < launchSettlesMs) {
    throw new InstanceNotInState('An instance may be starting that EC2 does not show yet');
  }
});
