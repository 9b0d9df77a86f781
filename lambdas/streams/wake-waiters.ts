// Stream of the table: wakes agents whose tasks have ended
import { lookAtWait } from '../domain/task-waits/look-at-wait.js';
import { touchedWaits } from '../domain/task-waits/touched-waits.js';
import { streamConsumer } from '../edge/consumer.js';
import { wakeUpQueues } from '../edge/wake-up-queues.js';

/** What fails here for good is found by the sweep. */
export const handler = streamConsumer({
  read: ({ change, table }) => touchedWaits(table, change),
  act: async ({ found, table, now, log }) => {
    // Tasks that end together often have one who waits for them all.
    const waits = new Map(found.map(({ chatId, waitKey }) => [`${chatId} ${waitKey}`, { chatId, waitKey }]));
    for (const wait of waits.values()) await lookAtWait({ table, wakeUpQueues, now, log }, wait);
  },
});
