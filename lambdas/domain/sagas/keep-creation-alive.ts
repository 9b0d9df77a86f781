import type { SFNClient } from '@aws-sdk/client-sfn';
import type { Workspace } from '../workspaces/workspace.js';
import { keepStepAlive } from './answer-step.js';

/** Tells CreateOnNode that its node is at work; false when that step does not wait for this workspace. */
export async function keepCreationAlive(
  client: SFNClient,
  { status, waitingStep, taskToken }: Pick<Workspace, 'status' | 'waitingStep' | 'taskToken'>,
): Promise<boolean> {
  if (status !== 'provisioning' || waitingStep !== 'create-on-node' || !taskToken) return false;
  await keepStepAlive(client, taskToken);
  return true;
}
