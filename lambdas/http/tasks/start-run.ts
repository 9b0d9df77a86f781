import type { Task } from '../../domain/tasks/task.js';
import { sagasOf } from '../../edge/sagas.js';
import type { Log } from '../../shared/log.js';

const sagas = sagasOf('run-task');

/** Starts the run of a task whose record is written. The sweep starts it when this fails. */
export async function startRun(task: Task, log: Log): Promise<void> {
  const { taskId, run } = task;
  try {
    await sagas.startRunTask(task);
    log.info('Task run started', { taskId, run });
  } catch (error) {
    log.error('Task run not started; the sweep will start it', { taskId, error });
  }
}
