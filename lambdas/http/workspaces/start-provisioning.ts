import { sagaNames, startSaga } from '../../domain/sagas/start-saga.js';
import type { WorkspaceGeneration } from '../../domain/workspaces/find-workspace.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import type { Log } from '../../shared/log.js';

/** The row is written: if this start fails, the sweep starts the saga. */
export async function startProvisioning(
  { workspaceId, generation }: WorkspaceGeneration,
  { stateMachineArn, log }: { readonly stateMachineArn: string; readonly log: Log },
): Promise<void> {
  try {
    await startSaga(stepFunctions, {
      stateMachineArn,
      name: sagaNames.provision(workspaceId, generation),
      input: { workspaceId, generation },
    });
    log.info('Workspace requested', { workspaceId, generation });
  } catch (error) {
    log.error('Provisioning not started; the sweep starts it', { workspaceId, error });
  }
}
