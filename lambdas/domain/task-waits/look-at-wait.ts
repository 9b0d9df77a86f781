import type { Log } from '../../shared/log.js';
import type { Table } from '../../shared/table.js';
import { trySendWakeUp, type WakeUpQueues } from '../prompts/wake-up.js';
import { reconcileWait } from './reconcile-wait.js';
import type { WaitRef } from './task-wait.js';

export interface WakeParts {
  readonly table: Table;
  readonly wakeUpQueues: WakeUpQueues;
  readonly now: Date;
  readonly log: Log;
}

/** Ends a wait whose condition holds, and sends a wake-up for the prompt that continues its agent. */
export async function lookAtWait({ table, wakeUpQueues, now, log }: WakeParts, ref: WaitRef): Promise<void> {
  const waitId = await reconcileWait(table, ref, now);
  if (!waitId) return;
  await trySendWakeUp({ wakeUpQueues, log }, { chatId: ref.chatId, wakeUpId: waitId });
}
