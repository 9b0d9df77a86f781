import { issueBootstrapToken } from '../../domain/nodes/bootstrap.js';
import { InstanceNotInState } from '../../domain/nodes/errors.js';
import { type NodeInstance, terminateInstances } from '../../domain/nodes/instances.js';
import { setUserData, startInstance } from '../../domain/nodes/warm-pool.js';
import { fleet } from '../fleet.js';
import { type LaunchCall, logLaunch, newBoot } from './launch-call.js';
import { refusalCode } from './launch-places.js';

/**
 * Starts the waiting machine of a node. Undefined when EC2 has no room for it: the machine is
 * terminated then, and the node needs a launch. Repeatable until the machine has started.
 */
export async function startWaitingMachine(
  call: LaunchCall,
  machine: NodeInstance,
): Promise<NodeInstance | undefined> {
  const { table, node, now } = call;
  const { nodeId, launchedFor } = node;
  const { instanceId, instanceType } = machine;
  const { token, userData } = newBoot(node);
  // Before the token is stored: EC2 refuses it for a machine that an earlier attempt has started,
  // which has the stored token.
  await setUserData(fleet, instanceId, userData);
  if (!(await issueBootstrapToken(table, { nodeId, launchedFor, token, now })))
    throw new InstanceNotInState('EC2 does not show yet that the machine of the node was started');
  try {
    await startInstance(fleet, instanceId);
  } catch (error) {
    const code = refusalCode(error);
    await terminateInstances(fleet, [instanceId]);
    await logLaunch(call, 'failed', `EC2 cannot start the waiting machine (${code}); launching another`);
    return undefined;
  }
  await logLaunch(call, 'completed', `Started a waiting machine (${instanceType})`);
  return machine;
}
