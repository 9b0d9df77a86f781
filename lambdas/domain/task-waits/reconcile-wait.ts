import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { MessageLimitExceeded } from '../chats/errors.js';
import { allowSystem } from '../policy/allow.js';
import { acceptPrompt, type PromptRequest } from '../prompts/accept-prompt.js';
import { ChatEnded, ChatHasNoAgent, ChatShutsDown } from '../prompts/errors.js';
import { getItems } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { transact } from '../records/transact.js';
import { Task, taskKey } from '../tasks/task.js';
import { decideWait } from './decide-wait.js';
import { nextLook } from './next-look.js';
import { dueSk, TaskWait, type WaitRef, waitCountKey, waiterKey, waitRecordKey } from './task-wait.js';
import { wakeWords } from './wake-words.js';

/**
 * Looks whether a wait is over, and wakes its agent if so. How it ended is written first, and what the agent is told
 * follows from that alone; the prompt has the wait's own id. So whoever comes twice, late or after a crash sends the same
 * prompt again, which is the one that is there. Answers its id, or nothing while nobody is to be woken.
 */
export async function reconcileWait(table: Table, ref: WaitRef, now: Date): Promise<string | undefined> {
  const key = waitRecordKey(ref);
  const found = (await getItems(table, [key]))(key);
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

type Look = { readonly statuses: NonNullable<TaskWait['statuses']>; readonly now: Date };

async function decide(table: Table, wait: TaskWait, { statuses, now }: Look): Promise<TaskWait> {
  const resolution = decideWait(wait, statuses, now);
  const outcome = await changeItem(table, {
    key: waitRecordKey(wait),
    set: resolution
      ? { state: 'resolved', resolution, statuses }
      : { parentSk: dueSk(nextLook(wait, now), wait.waitId) },
    when: { equals: { state: 'active' } },
  });
  // Somebody else may have been faster; what they have written is how it ended.
  return outcome.item ? TaskWait.parse(outcome.item) : wait;
}

type Waking = { readonly chat: Chat | undefined; readonly now: Date };

/** False: there is nobody to wake any more. */
async function wake(table: Table, wait: TaskWait, { chat, now }: Waking): Promise<boolean> {
  if (!chat) return false;
  const prompt: PromptRequest = {
    deliveryId: wait.waitId,
    sourceKind: 'parent_wakeup',
    senderType: 'system',
    senderId: null,
    messageClass: 'deliver',
    content: wakeWords(wait),
  };
  try {
    await acceptPrompt(table, prompt, { chat: allowSystem('chat.prompt', chat), now });
    return true;
  } catch (error) {
    const isGone = [ChatEnded, ChatShutsDown, ChatHasNoAgent, MessageLimitExceeded].some(
      (end) => error instanceof end,
    );
    if (!isGone) throw error;
    return false;
  }
}

/** Takes the wait out of what is looked at, and its notes away from the tasks. */
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
