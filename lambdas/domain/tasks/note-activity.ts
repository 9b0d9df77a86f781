import type { Chat, ChatActivity } from '../chats/chat.js';
import { advanceTask, changeTask } from './change-task.js';
import { TaskNotInState } from './errors.js';
import { type FinishParts, finishTask } from './finish-task.js';
import type { Task } from './task.js';
import { bySystem } from './task-event.js';
import { isActive } from './task-status.js';

interface Noted {
  readonly task: Task;
  /** As it is after the report. */
  readonly chat: Pick<Chat, 'activity' | 'queuedPrompts'>;
  readonly now: Date;
}

/**
 * What becomes of a task by what its agent does. An agent that has ended its turn without having completed its task waits
 * for a person, unless a message waits for it; a turn that failed says on the task why. An agent that could not be started,
 * or not again, ends its task; a conversation waits with that reason for the person to go on. One table call, or none.
 */
export async function noteActivity(parts: FinishParts, { task, chat, now }: Noted): Promise<void> {
  const { activity, queuedPrompts } = chat;
  if (!activity || !isActive(task.status)) return;
  if (activity.activity === 'error' && task.taskMode === 'task') await giveUp(parts, task, activity, now);
  else if (isResting(activity) && queuedPrompts === 0 && task.status === 'in_progress')
    await awaitPerson(parts, task, activity, now);
}

const isResting = ({ activity }: ChatActivity): boolean => activity === 'idle' || activity === 'error';

// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
async function giveUp(
  parts: FinishParts,
  task: Task,
  { statusError }: ChatActivity,
  now: Date,
): Promise<void> {
  const why = (statusError ?? 'The agent has ended').replace(/\.?$/, '.');
  const errorMessage = `${why} Mend what this says, then run the task again; what the agent had pushed is on the branch ${task.outputBranch}.`;
  const guard = ({ run, status }: Task) => {
    if (run !== task.run) throw new TaskNotInState(status, 'it is another execution');
  };
  await finishTask(parts, {
    task,
    to: 'failed',
    set: { errorMessage },
    reason: errorMessage,
    actor: bySystem,
    guard,
    now,
  }).catch((error: unknown) => {
    // Whichever end comes first stays.
    if (!(error instanceof TaskNotInState)) throw error;
  });
}

// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
async function awaitPerson(
  { table }: FinishParts,
  seen: Task,
  { statusError: errorMessage }: ChatActivity,
  now: Date,
): Promise<void> {
  const step = 'awaiting_followup';
  const { changed, task } = await advanceTask(table, { task: seen, step, set: { errorMessage }, now });
  if (!changed && task.errorMessage !== errorMessage)
    await changeTask(table, { task, set: { errorMessage }, now });
}
