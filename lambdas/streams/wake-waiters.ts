// Stream of the table: checks new waits and the waits of ended tasks, and wakes their agents
import { checkWait } from '../domain/task-waits/check-wait.js';
import { waitsOfChange } from '../domain/task-waits/find-waits.js';
import { streamConsumer } from '../edge/consumer.js';
import { wakeUpQueues } from '../edge/wake-up-queues.js';

/** The sweep finds the waits whose check fails here after all retries. */
export const handler = streamConsumer({
  read: ({ change, table }) => waitsOfChange(table, change),
  act: async ({ found, table, now, log }) => {
    // Several tasks of a batch may belong to one wait: check each wait once.
    const waits = new Map(found.map(({ chatId, waitKey }) => [`${chatId} ${waitKey}`, { chatId, waitKey }]));
    for (const wait of waits.values()) await checkWait({ table, wakeUpQueues, now, log }, wait);
  },
});
