import { sagaNames, startSaga } from '../../domain/sagas/start-saga.js';
import type { Life } from '../../domain/workspaces/find-workspace.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import type { Log } from '../../shared/log.js';

/** The row is written: should this fail, the sweep finds it and starts the saga. */
export async function startProvisioning(
  { workspaceId, generation }: Life,
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
    log.error('Provisioning not started; the sweep will', { workspaceId, error });
  }
}
