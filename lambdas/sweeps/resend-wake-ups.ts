// Every minute: ends waits, interactions and event subscriptions whose time has passed, matches the
// events that the stream consumer could not, and sends lost wake-ups again
import { sweepElapsed } from '../domain/event-subscriptions/end-subscription.js';
import { matchOverdueEvents } from '../domain/event-subscriptions/match-event.js';
import { sweepWakes } from '../domain/event-wakes/follow-wakes.js';
import { trySendDelivery } from '../domain/interactions/delivery-wake-up.js';
import { sweepInteractions } from '../domain/interactions/sweep-interactions.js';
import { listDueChats } from '../domain/prompts/queue.js';
import { resendWakeUps } from '../domain/prompts/wake-up.js';
import { checkDueWaits } from '../domain/task-waits/check-wait.js';
import { scheduled } from '../edge/consumer.js';
import { isEventWakeEnabled as isEnabled } from '../edge/event-wakes.js';
import { wakeUpQueues } from '../edge/wake-up-queues.js';

export const handler = scheduled(async ({ table, now, newId, log }) => {
  await checkDueWaits({ table, wakeUpQueues, now, log });
  await resendWakeUps(wakeUpQueues, await listDueChats(table, now));
  for (const { chatId, interactionId } of await sweepInteractions(table, now))
    await trySendDelivery({ wakeUpQueues, log }, { chatId, interactionId, now });
  await matchOverdueEvents({ table, now, log });
  await sweepElapsed(table, now);
  await sweepWakes({ table, wakeUpQueues, isEnabled, now, newId, log });
});
