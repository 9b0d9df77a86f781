import type { Log } from '../../shared/log.js';
import { sendWakeUpAt, type WakeUpQueues } from '../prompts/wake-up.js';

interface Due {
  readonly chatId: string;
  readonly interactionId: string;
  readonly now: Date;
}

/**
 * Makes the worker deliver an answer that is stored already. A failure is only logged: the sweep
 * sends the wake-up again.
 */
export async function trySendDelivery(
  { wakeUpQueues, log }: { readonly wakeUpQueues: WakeUpQueues; readonly log: Log },
  { chatId, interactionId, now }: Due,
): Promise<void> {
  await sendWakeUpAt(wakeUpQueues, { chatId, interactionId, at: now, now }).catch((error: unknown) => {
    log.error('Wake-up not sent', { chatId, interactionId, error });
  });
}
