import { advanceTask, type TaskOutcome } from './change-task.js';
import { type FinishParts, finishTask } from './finish-task.js';
import type { CompletionEvidence, Task } from './task.js';
import type { Actor } from './task-event.js';

export interface Completion {
  readonly task: Task;
  readonly summary: string | null;
  readonly evidence: CompletionEvidence | null;
  readonly actor: Actor;
  readonly now: Date;
}

/**
 * What an agent says when its work is done. A task is completed by it; a conversation goes on, and waits for the person.
 * One table call.
 *
 * @throws {TaskNotInState} it is not in progress
 */
export async function completeTask(parts: FinishParts, completion: Completion): Promise<TaskOutcome> {
  const { task, summary, evidence, actor, now } = completion;
  const set = {
    outputSummary: summary,
    completionEvidence: evidence,
    ...(evidence?.prUrl === undefined ? {} : { outputPrUrl: evidence.prUrl }),
  };
  if (task.taskMode === 'conversation')
    return advanceTask(parts.table, { task, step: 'awaiting_followup', set, now });
  return finishTask(parts, { task, to: 'completed', set, actor, now });
}
