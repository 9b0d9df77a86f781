import { listDueWaits } from '../domain/task-waits/find-waiters.js';
import { lookAtWait, type WakeParts } from '../domain/task-waits/look-at-wait.js';

/** What one pass looks at; the others are due still in the next one. */
const waitsPerPass = 25;

/** Ends waits whose time is over, and those whose bell was lost. One table call, and a few for each. */
export async function sweepWaits(parts: WakeParts): Promise<void> {
  for (const wait of await listDueWaits(parts.table, parts.now, waitsPerPass)) {
    await lookAtWait(parts, wait).catch((error: unknown) => {
      // One that cannot be ended must not keep the others from it; it is looked at again in a minute.
      parts.log.error('Wait not reconciled', { chatId: wait.chatId, waitKey: wait.waitKey, error });
    });
  }
}
