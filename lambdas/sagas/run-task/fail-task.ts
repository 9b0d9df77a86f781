// run-task: FailTask
import * as z from 'zod/mini';
import { finishTask, taskFailureMessage } from '../../domain/tasks/finish-task.js';
import { findTask } from '../../domain/tasks/load-task.js';
import { bySystem } from '../../domain/tasks/task-events.js';
import { isActive } from '../../domain/tasks/task-status.js';
import { sagasOf } from '../../edge/sagas.js';
import { step } from '../../edge/step.js';
import { TaskRun } from '../inputs.js';

const sagas = sagasOf('end-run');

const Input = z.extend(TaskRun, {
  failure: z.object({ step: z.string(), error: z.string(), cause: z.string() }),
});

/** Changes nothing when the task has ended or has another run. */
export const handler = step(Input, async ({ input, table, now, log }) => {
  const { projectId, taskId, run, failure } = input;
  const task = await findTask(table, projectId, taskId);
  if (task?.run !== run || !isActive(task.status)) return;
  const errorMessage = taskFailureMessage(failure);
  log.warn('Execution of a task failed', { taskId, run, failure });
  await finishTask(
    { table, sagas, log },
    { task, to: 'failed', set: { errorMessage }, reason: errorMessage, actor: bySystem, now },
  );
});
