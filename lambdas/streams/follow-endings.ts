// Stream of the table: ended tasks wake the agents that wait for them, ended workspaces end their
// agent sessions, new project events are matched to subscriptions, and these wake their agents
import { followEvent } from '../domain/event-subscriptions/match-event.js';
import { followWakes } from '../domain/event-wakes/follow-wakes.js';
import { trySendWakeUp } from '../domain/prompts/wake-up.js';
import { checkWait } from '../domain/task-waits/check-wait.js';
import { waitsOfChange } from '../domain/task-waits/find-waits.js';
import { endLostSessions, workspaceWithSessions } from '../domain/tasks/workspace-loss.js';
import { streamConsumer } from '../edge/consumer.js';
import { isEventWakeEnabled as isEnabled } from '../edge/event-wakes.js';
import { sagasOf } from '../edge/sagas.js';
import { wakeUpQueues } from '../edge/wake-up-queues.js';

const sagas = sagasOf('end-run');

/** The sweeps find the waits, workspaces and events whose change fails here after all retries. */
export const handler = streamConsumer({
  read: async ({ change, table, now, newId, log }) => {
    const workspaceId = workspaceWithSessions(change.after);
    const wake = (chatId: string) => trySendWakeUp({ wakeUpQueues, log }, { chatId, wakeUpId: newId() });
    if (workspaceId) await endLostSessions({ table, sagas, wake, log, now }, workspaceId);
    await followEvent({ table, now, log }, change);
    await followWakes({ table, wakeUpQueues, isEnabled, now, newId, log }, change);
    return waitsOfChange(table, change);
  },
  act: async ({ found, table, now, log }) => {
    // Several tasks of a batch may belong to one wait: check each wait once.
    const waits = new Map(found.map(({ chatId, waitKey }) => [`${chatId} ${waitKey}`, { chatId, waitKey }]));
    for (const wait of waits.values()) await checkWait({ table, wakeUpQueues, now, log }, wait);
  },
});
