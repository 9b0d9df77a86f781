// Stream of the table: tells live sockets what changed
import { connectionsOfSession, subscribersOf } from '../domain/live/connection.js';
import { endedSession, messageOf } from '../domain/live/messages.js';
import { endConnection, push } from '../domain/live/push.js';
import { streamConsumer } from '../edge/consumer.js';
import { liveSockets } from '../shared/clients/live-sockets.js';

/**
 * A failure to push repeats the record: every subscriber hears of it at least once. A client tells a repeat by the
 * version of a state and by the id of a boot log entry.
 */
export const handler = streamConsumer(async ({ change: { before, after }, table }) => {
  const sockets = { client: liveSockets, table };
  const sessionHash = endedSession(before, after);
  if (sessionHash) {
    const connections = await connectionsOfSession(table, sessionHash);
    await Promise.all(connections.map((connectionId) => endConnection(sockets, connectionId)));
  }
  const message = messageOf(before, after);
  if (!message || !('topic' in message)) return;
  const subscribers = await subscribersOf(table, message.topic);
  await Promise.all(subscribers.map((connectionId) => push(sockets, connectionId, message)));
});
