import { sagaNames, startSaga } from '../../domain/sagas/start-saga.js';
import type { Task } from '../../domain/tasks/task.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import type { Log } from '../../shared/log.js';

/** The row is written: should this fail, the sweep finds it and starts the saga. */
export async function startRun(
  { projectId, taskId, run }: Task,
  { runTaskArn, log }: { readonly runTaskArn: string; readonly log: Log },
): Promise<void> {
  try {
    await startSaga(stepFunctions, {
      stateMachineArn: runTaskArn,
      name: sagaNames.runTask(taskId, run),
      input: { projectId, taskId, run },
    });
    log.info('Task submitted', { taskId, run });
  } catch (error) {
    log.error('Execution not started; the sweep will', { taskId, error });
  }
}
