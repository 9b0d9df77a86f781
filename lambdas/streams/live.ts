// Stream of the table: keeps the inboxes, records project events, pushes events to live sockets and
// browsers, and closes sockets whose session or membership has ended
import type { LiveEvent } from '../../protocol/live.js';
import { followLimit } from '../domain/credentials/follow-limit.js';
import { followChange } from '../domain/inbox/follow-change.js';
import { inboxEvents } from '../domain/inbox/inbox-events.js';
import { leaveProject } from '../domain/inbox/list-inbox.js';
import { gatherMessages, newestEvents } from '../domain/live/coalesce-events.js';
import { connectionsOfSession } from '../domain/live/connection.js';
import { endedSession, eventsOf, revokedMember } from '../domain/live/events.js';
import { endConnection, type LiveSockets, pushToSubscribers } from '../domain/live/push.js';
import { type RevokedWriteAccess, revokedWriteAccess } from '../domain/members/write-access-revoked.js';
import { followLifeCycle } from '../domain/project-events/follow-life-cycle.js';
import type { Member } from '../domain/projects/member.js';
import { removeSubscriptions } from '../domain/push/change-subscriptions.js';
import { enqueuePushes } from '../domain/push/push-queue.js';
import type { Session } from '../domain/sessions/session.js';
import { listSessions } from '../domain/sessions/user-sessions.js';
import { type EndedAccess, endedAccess } from '../domain/users/end-access.js';
import { streamConsumer } from '../edge/consumer.js';
import { pushQueue } from '../edge/push-queue.js';
import { sagasOf } from '../edge/sagas.js';
import { liveSockets } from '../shared/clients/live-sockets.js';

const sagas = sagasOf('end-session', 'end-membership');

/**
 * A failure to push repeats the batch: each subscriber receives each event at least once. A client
 * recognises a repeat by the version of a state, the sequence of a message or the id of a boot log
 * entry.
 */
export const handler = streamConsumer<LiveEvent>({
  read: async ({ change: { before, after }, table, now }) => {
    const sockets = { client: liveSockets, table };
    const session = endedSession(before, after);
    if (session) await endSession(sockets, session);
    const former = revokedMember(before, after);
    if (former) await endMember(sockets, former);
    const access = endedAccess(before, after);
    if (access) await endAccess(sockets, access);
    const lost = revokedWriteAccess(before, after);
    if (lost) await stopWork(lost);
    await followChange(table, before, after);
    await followLifeCycle(table, { before, after }, now);
    await followLimit(table, after, now);
    return [...eventsOf(before, after), ...(await inboxEvents(table, before, after))];
  },
  act: async ({ found, table, log }) => {
    await pushToSubscribers({ client: liveSockets, table }, newestEvents(gatherMessages(found)));
    // A lost one loses a notification, and holds up no change of the table.
    await enqueuePushes(pushQueue, found).catch((error: unknown) =>
      log.error('Pushes not queued', { error }),
    );
  },
});

/**
 * A saga closes connections on nodes: it retries a silent node without holding up other changes.
 */
async function endSession(sockets: LiveSockets, { userId, sessionHash }: Session): Promise<void> {
  await sagas.startEndSession({ userId, sessionHash });
  await removeSubscriptions(sockets.table, userId, (one) => one.sessionHash === sessionHash);
  await endSockets(sockets, sessionHash);
}

async function endMember(sockets: LiveSockets, { userId, projectId }: Member): Promise<void> {
  await endSocketsOfUser(sockets, userId);
  await leaveProject(sockets.table, userId, projectId);
}

/** Closes all their sockets, not only those with a forbidden topic: clients reconnect. */
async function endSocketsOfUser(sockets: LiveSockets, userId: string): Promise<void> {
  const sessions = await listSessions(sockets.table, userId);
  await Promise.all(sessions.map(({ sessionHash }) => endSockets(sockets, sessionHash)));
}

/** A person signed out everywhere, has another role, or was suspended. */
async function endAccess(sockets: LiveSockets, { userId, accessVersion }: EndedAccess): Promise<void> {
  await sagas.startEndAccess({ userId, accessVersion });
  await endSocketsOfUser(sockets, userId);
}

/** Stops a person's work in a project in which they may work no more. */
async function stopWork({ projectId, userId, version }: RevokedWriteAccess): Promise<void> {
  await sagas.startEndMembership({ projectId, userId, version });
}

async function endSockets(sockets: LiveSockets, sessionHash: string): Promise<void> {
  const connections = await connectionsOfSession(sockets.table, sessionHash);
  await Promise.all(connections.map((connectionId) => endConnection(sockets, connectionId)));
}
