import { listDueWaits } from '../domain/task-waits/find-waiters.js';
import { lookAtWait, type WakeParts } from '../domain/task-waits/look-at-wait.js';

/** One pass handles this many; the next pass handles the rest. */
const waitsPerPass = 25;

/** Ends waits whose deadline has passed or whose wake-up was lost. One table call, and a few for each wait. */
export async function sweepWaits(parts: WakeParts): Promise<void> {
  for (const wait of await listDueWaits(parts.table, parts.now, waitsPerPass)) {
    await lookAtWait(parts, wait).catch((error: unknown) => {
      // One failing wait must not block the others; the next pass tries it again.
      parts.log.error('Wait not reconciled', { chatId: wait.chatId, waitKey: wait.waitKey, error });
    });
  }
}
