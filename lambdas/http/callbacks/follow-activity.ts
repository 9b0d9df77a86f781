import type { Conversation } from '../../domain/agent-sessions/load-reporting-session.js';
import type { Chat } from '../../domain/chats/chat.js';
import { trySendWakeUp } from '../../domain/prompts/wake-up.js';
import { receiveActivity } from '../../domain/tasks/agent-reports.js';
import type { ByWorkspace } from '../../edge/callback-routes.js';
import type { Call } from '../../edge/route.js';
import { sagasOf } from '../../edge/sagas.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';

const sagas = sagasOf('end-run');

type Parts = Pick<ByWorkspace, 'table'> & Pick<Call, 'now' | 'newId' | 'log'>;

/**
 * Acts on a report of an agent: wakes the delivery of the next prompt of its chat, and moves its
 * task. Repeatable.
 */
export async function followActivity(parts: Parts, { chat, task }: Conversation): Promise<void> {
  const { table, now, newId, log } = parts;
  const { chatId } = chat;
  if (hasWork(chat)) await trySendWakeUp({ wakeUpQueues, log }, { chatId, wakeUpId: newId() });
  if (task) await receiveActivity({ table, sagas, log }, { task, chat, now });
}

/**
 * Uses the chat as it is after the report: an earlier wake-up may have come while the agent still
 * worked.
 */
function hasWork({ activity, queuedPrompts, shutdownId, ...chat }: Chat): boolean {
  const { unconfirmedId, unconfirmedRestarts } = chat;
  if (activity?.activity === 'idle' && (queuedPrompts > 0 || shutdownId !== undefined)) return true;
  // An agent that ended may have ended before it had its prompt.
  const isBroken = activity?.activity === 'error' || activity?.restartCount !== unconfirmedRestarts;
  return unconfirmedId !== undefined && isBroken && activity?.activity !== 'recovering';
}
