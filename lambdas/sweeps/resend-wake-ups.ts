// Every minute: ends waits whose deadline has passed, and sends lost wake-ups again
import { listDueChats } from '../domain/prompts/queue.js';
import { resendWakeUps } from '../domain/prompts/wake-up.js';
import { checkDueWaits } from '../domain/task-waits/check-wait.js';
import { scheduled } from '../edge/consumer.js';
import { wakeUpQueues } from '../edge/wake-up-queues.js';

export const handler = scheduled(async ({ table, now, log }) => {
  await checkDueWaits({ table, wakeUpQueues, now, log });
  await resendWakeUps(wakeUpQueues, await listDueChats(table, now));
});
