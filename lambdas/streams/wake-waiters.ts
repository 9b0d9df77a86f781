// Stream of the table: wakes agents whose tasks have ended
import { checkWait } from '../domain/task-waits/check-wait.js';
import { waitsOfChange } from '../domain/task-waits/find-waits.js';
import { streamConsumer } from '../edge/consumer.js';
import { wakeUpQueues } from '../edge/wake-up-queues.js';

/** What fails here for good is found by the sweep. */
export const handler = streamConsumer({
  read: ({ change, table }) => waitsOfChange(table, change),
  act: async ({ found, table, now, log }) => {
    // Tasks that end together often have one who waits for them all.
    const waits = new Map(found.map(({ chatId, waitKey }) => [`${chatId} ${waitKey}`, { chatId, waitKey }]));
    for (const wait of waits.values()) await checkWait({ table, wakeUpQueues, now, log }, wait);
  },
});
