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
import { Attempts } from './attempts.js';

export const handler = scheduled(async (call) => {
  const attempts = new Attempts(call.log);
  for (const [part, work] of Object.entries(parts))
    await attempts.at(() => work(call), 'Part of the sweep failed', { part });
  attempts.end();
});

type Call = Parameters<Parameters<typeof scheduled>[0]>[0];

const parts: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  waits: ({ table, now, log }) => checkDueWaits({ table, wakeUpQueues, now, log }),
  wakeUps: async ({ table, now }) => resendWakeUps(wakeUpQueues, await listDueChats(table, now)),
  interactions: async ({ table, now, log }) => {
    for (const { chatId, interactionId } of await sweepInteractions(table, now))
      await trySendDelivery({ wakeUpQueues, log }, { chatId, interactionId, now });
  },
  events: ({ table, now, log }) => matchOverdueEvents({ table, now, log }),
  subscriptions: ({ table, now }) => sweepElapsed(table, now),
  eventWakes: ({ table, now, newId, log }) => sweepWakes({ table, wakeUpQueues, isEnabled, now, newId, log }),
};
