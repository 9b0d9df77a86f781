// Stream of the table: tells live sockets what changed, and ends those of a session that is over
import * as z from 'zod/mini';
import { connectionsOfSession, subscribersOf } from '../domain/live/connection.js';
import { endedSession, messageOf } from '../domain/live/messages.js';
import { endConnection, type LiveSockets, push } from '../domain/live/push.js';
import { sagaNames, startSaga } from '../domain/sagas/start-saga.js';
import type { Session } from '../domain/sessions/session.js';
import { streamConsumer } from '../edge/consumer.js';
import { liveSockets } from '../shared/clients/live-sockets.js';
import { stepFunctions } from '../shared/clients/step-functions.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ END_SESSION_ARN: z.string() });

/**
 * A failure to push repeats the record: every subscriber hears of it at least once. A client tells a repeat by the
 * version of a state and by the id of a boot log entry.
 */
export const handler = streamConsumer(async ({ change: { before, after }, table }) => {
  const sockets = { client: liveSockets, table };
  const session = endedSession(before, after);
  if (session) await endSockets(sockets, session);
  const message = messageOf(before, after);
  if (!message || !('topic' in message)) return;
  const subscribers = await subscribersOf(table, message.topic);
  await Promise.all(subscribers.map((connectionId) => push(sockets, connectionId, message)));
});

/** Those on nodes by a saga, which goes on asking a node that is silent: it must not hold up other people's changes. */
async function endSockets(sockets: LiveSockets, { userId, sessionHash }: Session): Promise<void> {
  await startSaga(stepFunctions, {
    stateMachineArn: env.END_SESSION_ARN,
    name: sagaNames.endSession(sessionHash),
    input: { userId, sessionHash },
  });
  const connections = await connectionsOfSession(sockets.table, sessionHash);
  await Promise.all(connections.map((connectionId) => endConnection(sockets, connectionId)));
}
