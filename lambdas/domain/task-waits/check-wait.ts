import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { promptBySystem } from '../prompts/prompt-by-system.js';
import { trySendWakeUp, type WakeUpQueues } from '../prompts/wake-up.js';
import { getItem, getItems } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { eachDue } from '../records/each-due.js';
import { transact } from '../records/transact.js';
import { Task, taskKey } from '../tasks/task.js';
import { hasEnded, type TaskStatus } from '../tasks/task-status.js';
import { listDueWaits } from './find-waits.js';
import {
  dueSk,
  nextCheckAt,
  TaskWait,
  type WaitRef,
  waitCountKey,
  waiterKey,
  waitRecordKey,
} from './task-wait.js';

interface WaitDeps {
  readonly table: Table;
  readonly wakeUpQueues: WakeUpQueues;
  readonly now: Date;
  readonly log: Log;
}

/** Ends a wait whose condition or deadline is met, and sends the wake-up for its agent's prompt. */
export async function checkWait({ table, wakeUpQueues, now, log }: WaitDeps, ref: WaitRef): Promise<void> {
  const waitId = await reconcileWait(table, ref, now);
  if (!waitId) return;
  await trySendWakeUp({ wakeUpQueues, log }, { chatId: ref.chatId, wakeUpId: waitId });
}

/** The others are due in the next pass. */
const waitsPerPass = 25;

/**
 * Checks the waits that are due: at their deadline, or because a wake-up may be lost. One table
 * call, and a few for each.
 */
export async function checkDueWaits(deps: WaitDeps): Promise<void> {
  await eachDue(
    await listDueWaits(deps.table, deps.now, waitsPerPass),
    (wait) => checkWait(deps, wait),
    ({ chatId, waitKey }, error) => deps.log.error('Wait not checked', { chatId, waitKey, error }),
  );
}

/**
 * Ends a wait whose condition or deadline is met, and queues the prompt of its agent. The result is
 * stored first, and the prompt, which has the id of the wait, follows from it: a repeated, late or
 * resumed check queues the same prompt once. Returns the id of the prompt, or undefined when no
 * agent has to be woken up.
 */
export async function reconcileWait(table: Table, ref: WaitRef, now: Date): Promise<string | undefined> {
  const key = waitRecordKey(ref);
  const found = await getItem(table, key);
  if (!found?.parentPk) return undefined;
  const seen = TaskWait.parse(found);
  const { chat, statuses } = await load(table, seen);
  const wait = seen.state === 'active' ? await decide(table, seen, { statuses, now }) : seen;
  if (wait.state === 'active') return undefined;
  const isWoken = wait.state === 'resolved' && (await wake(table, wait, { chat, now }));
  await close(table, wait, isWoken);
  return isWoken ? wait.waitId : undefined;
}

async function load(table: Table, { chatId, projectId, taskIds }: TaskWait) {
  const keys = taskIds.map((taskId) => taskKey(projectId, taskId));
  const find = await getItems(table, [chatKey(chatId), ...keys]);
  const statuses = keys.map((each) => {
    const item = find(each);
    return item ? Task.parse(item).status : null;
  });
  const chat = find(chatKey(chatId));
  return { chat: chat && Chat.parse(chat), statuses };
}

type Observation = { readonly statuses: NonNullable<TaskWait['statuses']>; readonly now: Date };

async function decide(table: Table, wait: TaskWait, { statuses, now }: Observation): Promise<TaskWait> {
  const resolution = decideWait(wait, statuses, now);
  const outcome = await changeItem(table, {
    key: waitRecordKey(wait),
    set: resolution
      ? { state: 'resolved', resolution, statuses }
      : { parentSk: dueSk(nextCheckAt(wait, now), wait.waitId) },
    when: { equals: { state: 'active' } },
  });
  // Another check may have stored the result first.
  return outcome.item ? TaskWait.parse(outcome.item) : wait;
}

type Agent = { readonly chat: Chat | undefined; readonly now: Date };

/** False: the chat has ended, or has no agent to wake up. */
async function wake(table: Table, wait: TaskWait, { chat, now }: Agent): Promise<boolean> {
  if (!chat) return false;
  const content = wakeUpMessage(wait);
  const message = { deliveryId: wait.waitId, sourceKind: 'parent_wakeup', content } as const;
  return promptBySystem(table, message, { chat, now });
}

/** Removes the wait from the index of open waits, from the project's count and from its tasks. */
async function close(table: Table, wait: TaskWait, isWoken: boolean): Promise<void> {
  await transact(table, [
    {
      update: {
        key: waitRecordKey(wait),
        set: isWoken ? {} : { state: 'cancelled' },
        remove: ['parentPk', 'parentSk'],
        when: { exists: true },
      },
    },
    {
      update: {
        key: waitCountKey(wait.projectId),
        takeOut: { waitIds: new Set([wait.waitId]) },
        when: { exists: true },
      },
    },
    ...wait.taskIds.map((taskId) => ({ delete: waiterKey(taskId, wait), when: {} })),
  ]);
}

/** The status of each task in order; null for a deleted task. */
export type Statuses = readonly (TaskStatus | null)[];

/** The result of a wait, or undefined while it is active. */
export function decideWait(
  { condition, wakeDeadline }: Pick<TaskWait, 'condition' | 'wakeDeadline'>,
  statuses: Statuses,
  now: Date,
): NonNullable<TaskWait['resolution']> | undefined {
  const isDone = (status: TaskStatus | null) => status === null || hasEnded(status);
  const isMet = condition === 'all' ? statuses.every(isDone) : statuses.some(isDone);
  if (isMet) return 'condition_met';
  return now.getTime() >= Date.parse(wakeDeadline) ? 'deadline_reached' : undefined;
}

/** The prompt that wakes the agent up: ids and states, and no text of another agent. */
function wakeUpMessage({ waitKey, resolution, taskIds, statuses }: TaskWait): string {
  const result =
    resolution === 'deadline_reached'
      ? `Your wait "${waitKey}" has reached its deadline (deadline_reached).`
      : `Your wait "${waitKey}" has ended (condition_met).`;
  const states = taskIds.map((taskId, index) => `- ${taskId}: ${statuses?.[index] ?? 'deleted'}`);
  return [result, ...states, 'Call get_task_details for the results.'].join('\n');
}
