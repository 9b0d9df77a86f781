import { chatKey } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { transact } from '../records/transact.js';
import { findTask } from '../tasks/find-task.js';
import { type FinishParts, finishTask } from '../tasks/finish-task.js';
import { isOver } from '../tasks/task-status.js';
import { askReceipt } from './ask-node.js';
import { isPrompting } from './choose-step.js';
import { confirmed } from './confirm-mark.js';
import { type LoadedDelivery, loadDelivery } from './load-delivery.js';
import { nodeDeliveryId } from './node-delivery.js';
import { type NodeParts, openNode } from './open-node.js';
import type { Prompt } from './prompt.js';
import { shutdownDone } from './shutdown-mark.js';

export type ShutdownParts = FinishParts & NodeParts;

/**
 * Ends the task of a chat that was to end with a prompt, once the turn of that is over, or the prompt came to nothing. An
 * agent that has completed its task by then has ended it itself. Repeatable. At most six table calls.
 */
export async function finishShutdown(parts: ShutdownParts, chatId: string): Promise<void> {
  const { table, now } = parts;
  const chat = await findChat(table, chatId);
  if (chat?.shutdownId === undefined) return;
  const last = await loadDelivery(table, chat, chat.shutdownId);
  if (await isStillAnswered(parts, last)) return;
  // A task has the id of its chat.
  const task = await findTask(table, chat.projectId, chatId);
  if (task && !isOver(task.status)) {
    const actor = { actorType: 'agent', actorId: last.prompt.senderId } as const;
    const reason = 'The agent of its parent task has shut it down';
    await finishTask(parts, { task, to: 'cancelled', actor, reason, now });
  }
  await transact(table, [
    shutdownDone(chatId),
    {
      update: {
        key: chatKey(chatId),
        remove: ['confirmDueAt'],
        // It may have begun again by now, with marks of its own.
        when: { equals: { shutdownId: chat.shutdownId } },
      },
    },
    confirmed(chatId),
  ]);
}

/** While its turn runs, or may be about to. */
async function isStillAnswered(parts: ShutdownParts, { prompt, target }: LoadedDelivery): Promise<boolean> {
  if (target.chat.status === 'stopped') return false;
  if (isStillToCome(prompt)) return true;
  const isAtWork = isPrompting(target.chat, parts.now);
  if (prompt.deliveredAt === null) return isAtWork;
  if (prompt.receiptState === 'completed') return false;
  const node = await openNode(parts.table, parts, target);
  if (!node) return false;
  const answer = await askReceipt(node, nodeDeliveryId(prompt));
  if (answer.told === 'receipt_unavailable') return true;
  return answer.told === 'accepted' && answer.receipt.state === 'in_flight';
}

const isStillToCome = ({ deliveryState }: Prompt): boolean =>
  deliveryState === 'queued' || deliveryState === 'delivering' || deliveryState === 'retry_wait';
