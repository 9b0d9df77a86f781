// Stream of the table: keeps the inboxes, records and matches project events, wakes agents whose
// wait has ended, ends agent sessions of ended workspaces, and pushes events to live sockets and
// browsers
import type { LiveEvent } from '../../protocol/live.js';
import { followLimit } from '../domain/credentials/follow-limit.js';
import { followEvent } from '../domain/event-subscriptions/match-event.js';
import { followWakes } from '../domain/event-wakes/follow-wakes.js';
import { followChange } from '../domain/inbox/follow-change.js';
import { inboxEvents } from '../domain/inbox/inbox-events.js';
import { gatherMessages, newestEvents } from '../domain/live/coalesce-events.js';
import { eventsOf } from '../domain/live/events.js';
import { pushToSubscribers } from '../domain/live/push.js';
import { followLifeCycle } from '../domain/project-events/follow-life-cycle.js';
import { trySendWakeUp } from '../domain/prompts/wake-up.js';
import { enqueuePushes } from '../domain/push/push-queue.js';
import { checkWait } from '../domain/task-waits/check-wait.js';
import { waitsOfChange } from '../domain/task-waits/find-waits.js';
import type { WaitRef } from '../domain/task-waits/task-wait.js';
import { endLostSessions, workspaceWithSessions } from '../domain/tasks/workspace-loss.js';
import { streamConsumer } from '../edge/consumer.js';
import { isEventWakeEnabled as isEnabled } from '../edge/event-wakes.js';
import { pushQueue } from '../edge/push-queue.js';
import { sagasOf } from '../edge/sagas.js';
import { wakeUpQueues } from '../edge/wake-up-queues.js';
import { liveSockets } from '../shared/clients/live-sockets.js';

const sagas = sagasOf('end-run');

type Follow = Parameters<Parameters<typeof streamConsumer<Found>>[0]['read']>[0];

interface Found {
  readonly waits: readonly WaitRef[];
  readonly events: readonly LiveEvent[];
}

/**
 * Each subscriber receives each event at least once: a client recognises a repeat by the version of
 * a state, the sequence of a message or the id of a boot log entry. The sweeps find the waits,
 * workspaces and events whose change fails here after all retries.
 */
export const handler = streamConsumer<Found>({
  read: async (call) => [{ waits: await followEndings(call), events: await followRecords(call) }],
  act: async ({ found, table, now, log }) => {
    // Several tasks of a batch may belong to one wait: check each wait once.
    const waits = new Map(found.flatMap(({ waits }) => waits.map((wait) => [keyOf(wait), wait])));
    for (const wait of waits.values()) await checkWait({ table, wakeUpQueues, now, log }, wait);
    const events = found.flatMap((each) => each.events);
    await pushToSubscribers({ client: liveSockets, table, log }, newestEvents(gatherMessages(events)));
    // A lost one loses a notification, and holds up no change of the table.
    await enqueuePushes(pushQueue, events).catch((error: unknown) =>
      log.error('Pushes not queued', { error }),
    );
  },
});

const keyOf = ({ chatId, waitKey }: WaitRef): string => `${chatId} ${waitKey}`;

async function followEndings({ change, table, now, newId, log }: Follow): Promise<readonly WaitRef[]> {
  const workspaceId = workspaceWithSessions(change.after);
  const wake = (chatId: string) => trySendWakeUp({ wakeUpQueues, log }, { chatId, wakeUpId: newId() });
  if (workspaceId) await endLostSessions({ table, sagas, wake, log, now }, workspaceId);
  await followEvent({ table, now, log }, change);
  await followWakes({ table, wakeUpQueues, isEnabled, now, newId, log }, change);
  return waitsOfChange(table, change);
}

async function followRecords({ change, table, now }: Follow): Promise<readonly LiveEvent[]> {
  const { before, after } = change;
  await followChange(table, before, after);
  await followLifeCycle(table, change, now);
  await followLimit(table, after, now);
  return [...eventsOf(before, after), ...(await inboxEvents(table, before, after))];
}
