import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import type { EndedBecause } from '../endings/ended-because.js';
import { messageOfCause } from '../sagas/saga-steps.js';
import type { Sagas } from '../sagas/sagas.js';
import type { StepError } from '../workspaces/failure-message.js';
import { advanceTask, moveTask, type TaskMove, type TaskOutcome } from './change-task.js';
import { TaskNotInState } from './errors.js';
import { type CompletionEvidence, pendingReconcileOfTask, type Task } from './task.js';
import type { Actor } from './task-events.js';
import { hasBegun, isActive } from './task-status.js';

export interface FinishDeps {
  readonly table: Table;
  readonly sagas: Pick<Sagas, 'startEndRun'>;
  readonly log: Log;
}

type Ending = Omit<TaskMove, 'to' | 'also' | 'maxActive'> & {
  readonly to: 'completed' | 'failed' | 'cancelled';
};

/**
 * Ends a task and starts the saga that cleans up its execution. The first end stays. One table
 * call.
 *
 * @throws {TaskNotFound | TaskNotInState}
 */
export async function finishTask(deps: FinishDeps, ending: Ending): Promise<TaskOutcome> {
  const { table, sagas, log } = deps;
  const { task, now } = ending;
  const outcome = await moveTask(table, {
    ...ending,
    set: { ...ending.set, completedAt: now.toISOString() },
    // Renews the marker, so that a sweep that runs now does not delete it.
    also: [{ write: { put: pendingReconcileOfTask(task, now), when: {} } }],
  });
  if (!isActive(outcome.task.status) && needsEnd(outcome.task)) {
    await sagas
      .startEndRun({ ...outcome.task, attempt: 0 })
      .catch((error: unknown) =>
        log.error('End of run not started; the sweep will start it', { taskId: task.taskId, error }),
      );
  }
  return outcome;
}

/** Workspace or agent session of the last execution may still exist. */
export const needsEnd = ({ run, finalizedAt }: Task): boolean => run > 0 && finalizedAt === null;

interface Completion {
  readonly task: Task;
  readonly summary: string | null;
  readonly evidence: CompletionEvidence | null;
  readonly actor: Actor;
  readonly now: Date;
}

/**
 * Completes a task with its agent's summary and evidence. A conversation stays open and waits for
 * its person. One table call.
 *
 * @throws {TaskNotInState} it is not in progress
 */
export async function completeTask(deps: FinishDeps, completion: Completion): Promise<TaskOutcome> {
  const { task, summary, evidence, actor, now } = completion;
  const set = {
    outputSummary: summary,
    completionEvidence: evidence,
    ...(evidence?.prUrl === undefined ? {} : { outputPrUrl: evidence.prUrl }),
  };
  if (task.taskMode === 'conversation')
    return advanceTask(deps.table, { task, step: 'awaiting_followup', set, now });
  return finishTask(deps, { task, to: 'completed', set, actor, now });
}

interface ActiveEnding {
  /** The end of a task. A conversation in progress is completed when `completesConversation`. */
  readonly to: 'failed' | 'cancelled';
  readonly completesConversation: boolean;
  readonly message: string;
  /** Why its workspace does not run. */
  readonly endedBecause?: EndedBecause | undefined;
  readonly actor: Actor;
  readonly now: Date;
}

/**
 * Ends a task whose chat or workspace ends. An earlier end stays. At most one table call.
 */
export async function endActiveTask(deps: FinishDeps, task: Task, ending: ActiveEnding): Promise<void> {
  if (!isActive(task.status)) return;
  const { completesConversation, message: reason, endedBecause, actor, now } = ending;
  const isTalk = task.taskMode === 'conversation' && hasBegun(task.status);
  const to = completesConversation && isTalk ? 'completed' : ending.to;
  const set = to === 'failed' ? { errorMessage: reason, endedBecause } : { endedBecause };
  const guard = ({ run, status }: Task) => {
    if (run !== task.run) throw new TaskNotInState(status, 'Another execution has started.');
  };
  await finishTask(deps, { task, to, set, reason, guard, actor, now }).catch((error: unknown) => {
    if (!(error instanceof TaskNotInState)) throw error;
  });
}

/** Errors whose message is written for the person. */
const errorsForPeople: readonly string[] = [
  'AccountSuspended',
  'AttachmentMissing',
  'CodeHostAccessLost',
  'CodeHostUnavailable',
  'FirstPromptNotDelivered',
  'HostRequirementsTooLarge',
  'NodeRefused',
  'NodeUnreachable',
  'WorkspaceNotMade',
];

/** The message of a failed execution for the person: what happened, and what to do. */
export function taskFailureMessage({ step, error, cause }: StepError): string {
  const message = messageOfCause(cause);
  if (errorsForPeople.includes(error) && message) return message;
  // The code host answers "not found" for a repository that this person cannot see.
  if (step === 'CreateWorkspace' && error === 'NotFound')
    return `${message}: the repository of the project was deleted, or you lost access to it. Check your access on the code host, then run the task again.`;
  if (error === 'States.Timeout')
    return 'A step of the execution timed out. Run the task again. If it fails again, ask the operator to read the logs.';
  return 'The execution failed because of an internal error. Run the task again. If it fails again, ask the operator to read the logs.';
}
