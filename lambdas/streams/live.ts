// Stream of the table: tells live sockets what changed, and ends those of a session, membership or person that is over
import type { LiveEvent } from '../../protocol/live.js';
import { connectionsOfSession } from '../domain/live/connection.js';
import { endedMembership } from '../domain/live/ended-membership.js';
import { endedSession, messagesOf } from '../domain/live/messages.js';
import { newest } from '../domain/live/newest.js';
import { endConnection, type LiveSockets } from '../domain/live/push.js';
import { tellSubscribers } from '../domain/live/tell-subscribers.js';
import { gatherWords } from '../domain/live/words.js';
import { type LostWork, lostWork } from '../domain/members/lost-work.js';
import { listSessions } from '../domain/sessions/list-sessions.js';
import type { Session } from '../domain/sessions/session.js';
import { type EndedAccess, endedAccess } from '../domain/users/end-access.js';
import { streamConsumer } from '../edge/consumer.js';
import { sagasOf } from '../edge/sagas.js';
import { liveSockets } from '../shared/clients/live-sockets.js';

const sagas = sagasOf('end-session', 'end-membership');

/**
 * A failure to push repeats the batch: every subscriber hears of it at least once. A client tells a repeat by the
 * version of a state, the sequence of a message and the id of a boot log entry.
 */
export const handler = streamConsumer<LiveEvent>({
  read: async ({ change: { before, after }, table }) => {
    const sockets = { client: liveSockets, table };
    const session = endedSession(before, after);
    if (session) await endSession(sockets, session);
    const memberId = endedMembership(before, after);
    if (memberId) await endSocketsOfUser(sockets, memberId);
    const access = endedAccess(before, after);
    if (access) await endAccess(sockets, access);
    const lost = lostWork(before, after);
    if (lost) await stopWork(lost);
    return messagesOf(before, after);
  },
  act: ({ found, table }) => tellSubscribers({ client: liveSockets, table }, newest(gatherWords(found))),
});

/** Those on nodes by a saga, which goes on asking a node that is silent: it must not hold up other people's changes. */
async function endSession(sockets: LiveSockets, { userId, sessionHash }: Session): Promise<void> {
  await sagas.startEndSession({ userId, sessionHash });
  await endSockets(sockets, sessionHash);
}

/** Which of them have subscribed to what they may see no more is not worth finding out: a client returns by itself. */
async function endSocketsOfUser(sockets: LiveSockets, userId: string): Promise<void> {
  const sessions = await listSessions(sockets.table, userId);
  await Promise.all(sessions.map(({ sessionHash }) => endSockets(sockets, sessionHash)));
}

/** Somebody signed out everywhere, has another role, or is suspended. A socket that was opened since comes back by itself. */
async function endAccess(sockets: LiveSockets, { userId, accessVersion }: EndedAccess): Promise<void> {
  await sagas.startEndAccess({ userId, accessVersion });
  await endSocketsOfUser(sockets, userId);
}

/** What they have running in a project in which they may work no more. */
async function stopWork({ projectId, userId, version }: LostWork): Promise<void> {
  await sagas.startEndMembership({ projectId, userId, version });
}

async function endSockets(sockets: LiveSockets, sessionHash: string): Promise<void> {
  const connections = await connectionsOfSession(sockets.table, sessionHash);
  await Promise.all(connections.map((connectionId) => endConnection(sockets, connectionId)));
}
