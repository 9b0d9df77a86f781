// run-task: FailTask
import * as z from 'zod/mini';
import { findTask } from '../../domain/tasks/find-task.js';
import { finishTask } from '../../domain/tasks/finish-task.js';
import { bySystem } from '../../domain/tasks/task-event.js';
import { taskFailureMessage } from '../../domain/tasks/task-failure-message.js';
import { isActive } from '../../domain/tasks/task-status.js';
import { step } from '../../edge/step.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { readEnv } from '../../shared/env.js';
import { TaskRun } from '../task-run.js';

const env = readEnv({ END_RUN_ARN: z.string() });

const Input = z.extend(TaskRun, {
  failure: z.object({ step: z.string(), error: z.string(), cause: z.string() }),
});

/** A task that has ended already, or is executed anew, keeps what it says. */
export const handler = step(Input, async ({ input, table, now, log }) => {
  const { projectId, taskId, run, failure } = input;
  const task = await findTask(table, projectId, taskId);
  if (task?.run !== run || !isActive(task.status)) return;
  const errorMessage = taskFailureMessage(failure);
  log.warn('Execution of a task failed', { taskId, run, failure });
  await finishTask(
    { table, stepFunctions, endRunArn: env.END_RUN_ARN, log },
    { task, to: 'failed', set: { errorMessage }, reason: errorMessage, actor: bySystem, now },
  );
});
