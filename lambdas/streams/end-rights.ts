// Stream of the table: ends live sockets, sagas and subscriptions of sessions, memberships and
// people whose rights have ended
import { leaveProject } from '../domain/inbox/list-inbox.js';
import { connectionsOfSession } from '../domain/live/connection.js';
import { endedSession, revokedMember } from '../domain/live/events.js';
import { endConnection, type LiveSockets } from '../domain/live/push.js';
import { type RevokedWriteAccess, revokedWriteAccess } from '../domain/members/write-access-revoked.js';
import type { Member } from '../domain/projects/member.js';
import { removeSubscriptions } from '../domain/push/change-subscriptions.js';
import type { Session } from '../domain/sessions/session.js';
import { listSessions } from '../domain/sessions/user-sessions.js';
import { type EndedAccess, endedAccess } from '../domain/users/end-access.js';
import { streamConsumer } from '../edge/consumer.js';
import { sagasOf } from '../edge/sagas.js';
import { liveSockets } from '../shared/clients/live-sockets.js';

const sagas = sagasOf('end-session', 'end-membership');

/**
 * It reads only changes of sessions, members and people, so that no number of messages, sockets or
 * events delays the end of a right. Repeatable.
 */
export const handler = streamConsumer<never>({
  read: async ({ change: { before, after }, table }) => {
    const sockets = { client: liveSockets, table };
    const session = endedSession(before, after);
    if (session) await endSession(sockets, session);
    const former = revokedMember(before, after);
    if (former) await endMember(sockets, former);
    const access = endedAccess(before, after);
    if (access) await endAccess(sockets, access);
    const lost = revokedWriteAccess(before, after);
    if (lost) await stopWork(lost);
    return [];
  },
  act: async () => undefined,
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
