import type { SFNClient } from '@aws-sdk/client-sfn';
import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { sagaNames, startSaga } from '../sagas/start-saga.js';
import { moveTask, type TaskMove, type TaskOutcome } from './change-task.js';
import type { Task } from './task.js';
import { isActive } from './task-status.js';
import { unsettledTask } from './unsettled-task.js';

export interface FinishParts {
  readonly table: Table;
  readonly stepFunctions: SFNClient;
  readonly endRunArn: string;
  readonly log: Log;
}

export type Ending = Omit<TaskMove, 'to' | 'also' | 'maxActive'> & {
  readonly to: 'completed' | 'failed' | 'cancelled';
};

/**
 * Ends a task, and lets the saga put away what its execution has built. Whichever end comes first stays. One table call.
 *
 * @throws {TaskNotFound | TaskNotInState}
 */
export async function finishTask(parts: FinishParts, ending: Ending): Promise<TaskOutcome> {
  const { table, log } = parts;
  const { task, now } = ending;
  const outcome = await moveTask(table, {
    ...ending,
    set: { ...ending.set, completedAt: now.toISOString() },
    // Renewed, so that a sweep that looks at this moment does not take it away.
    also: [{ write: { put: unsettledTask(task, now), when: {} } }],
  });
  if (!isActive(outcome.task.status) && needsEnd(outcome.task)) {
    await startEndOfRun(parts, outcome.task, 0).catch((error: unknown) =>
      log.error('What the task has built is not put away; the sweep will', { taskId: task.taskId, error }),
    );
  }
  return outcome;
}

/** Something of its last execution may still be there. */
export const needsEnd = ({ run, finalizedAt }: Task): boolean => run > 0 && finalizedAt === null;

/** `attempt` names the execution: a saga that has failed is not begun again under its name. */
export async function startEndOfRun(
  { stepFunctions, endRunArn }: Pick<FinishParts, 'stepFunctions' | 'endRunArn'>,
  { projectId, taskId, run }: Pick<Task, 'projectId' | 'taskId' | 'run'>,
  attempt: number,
): Promise<void> {
  await startSaga(stepFunctions, {
    stateMachineArn: endRunArn,
    name: sagaNames.endRun(taskId, run, attempt),
    input: { projectId, taskId, run },
  });
}
