import { EC2ServiceException } from '@aws-sdk/client-ec2';
import {
  type Fleet,
  type NodeInstance,
  startInstance,
  terminateInstances,
} from '../../domain/nodes/instances.js';

interface Start {
  readonly isStarted: boolean;
  /** For the boot log. */
  readonly message: string;
}

/** Starts a stopped instance as this node. One that EC2 does not start is terminated. */
export async function startWaiting(fleet: Fleet, waiting: NodeInstance, userData: string): Promise<Start> {
  const { instanceId, instanceType } = waiting;
  try {
    await startInstance(fleet, instanceId, userData);
    return { isStarted: true, message: `A waiting machine (${instanceType}) was started` };
  } catch (error) {
    if (!(error instanceof EC2ServiceException)) throw error;
    // A launch follows: the node has one instance only.
    await terminateInstances(fleet, [instanceId]);
    const message = `EC2 did not start the waiting machine (${error.name}); a new one is launched`;
    return { isStarted: false, message };
  }
}
