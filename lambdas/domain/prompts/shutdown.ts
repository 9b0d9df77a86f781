import { chatChange } from '../chats/change-chat.js';
import { findChat } from '../chats/find-chat.js';
import { transact } from '../records/transact.js';
import { type FinishDeps, finishTask } from '../tasks/finish-task.js';
import { findTask } from '../tasks/load-task.js';
import { hasEnded } from '../tasks/task-status.js';
import { removeConfirmMarker } from './confirmation.js';
import { isPrompting } from './delivery-plan.js';
import { type LoadedDelivery, loadDelivery, type NodeDeps, openNode } from './load-delivery.js';
import { isPending } from './prompt-state.js';
import { removeShutdownMarker } from './queue-items.js';
import { askReceipt, nodeDeliveryId } from './send-prompt.js';

type ShutdownDeps = FinishDeps & NodeDeps;

/**
 * Cancels the task of a chat that was sent a shutdown prompt, once the turn of that prompt has
 * ended or the prompt has failed. A task that its agent has completed by then stays completed.
 * Repeatable. At most six table calls.
 */
export async function finishShutdown(deps: ShutdownDeps, chatId: string): Promise<void> {
  const { table, now } = deps;
  const chat = await findChat(table, chatId);
  if (chat?.shutdownId === undefined) return;
  const last = await loadDelivery(table, chat, chat.shutdownId);
  if (await isTurnOpen(deps, last)) return;
  // A task has the id of its chat.
  const task = await findTask(table, chat.projectId, chatId);
  if (task && !hasEnded(task.status)) {
    const actor = { actorType: 'agent', actorId: last.prompt.senderId } as const;
    const reason = 'The agent of the parent task shut this task down.';
    await finishTask(deps, { task, to: 'cancelled', actor, reason, now });
  }
  await transact(table, [
    removeShutdownMarker(chatId),
    {
      update: chatChange(chatId, {
        set: { confirmAt: null },
        // A chat that was restarted since has markers of its own.
        when: { equals: { shutdownId: chat.shutdownId } },
        isInternal: true,
        now,
      }),
    },
    removeConfirmMarker(chatId),
  ]);
}

/** The turn of the shutdown prompt runs, or may still start. */
async function isTurnOpen(deps: ShutdownDeps, { prompt, target }: LoadedDelivery): Promise<boolean> {
  if (target.chat.status === 'stopped') return false;
  if (isPending(prompt.deliveryState)) return true;
  const isWorking = isPrompting(target.chat, deps.now);
  if (prompt.deliveredAt === null) return isWorking;
  if (prompt.receiptState === 'completed') return false;
  const node = await openNode(deps.table, deps, target);
  if (!node) return false;
  const answer = await askReceipt(node, nodeDeliveryId(prompt));
  if (answer.is === 'receipt_unavailable') return true;
  return answer.is === 'has_receipt' && answer.receipt.state === 'in_flight';
}
