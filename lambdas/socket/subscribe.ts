// subscribe
import type { LiveServerMessage } from '../../protocol/live.js';
import { maxSubscriptions, subscribe } from '../domain/live/connection.js';
import { findWatched, presentOf } from '../domain/live/watched.js';
import { type SocketCall, socketRoute } from '../edge/socket.js';
import { readMessage } from './read-message.js';
import { badMessage, reply } from './socket-reply.js';

export const handler = socketRoute(async (call) => {
  const message = readMessage(call.text, 'subscribe');
  if (!message) return badMessage(call);
  const { topic, requestId } = message;
  const [answer, ...rest] = await subscribed(call, topic);
  if (answer) await reply(call, { ...answer, ...(requestId ? { requestId } : {}) });
  for (const message of rest) await reply(call, message);
});

/**
 * At most four table calls. Whether they may, then the subscription, then the state: what changes meanwhile is told, maybe twice, never lost. Who has
 * lost the right in between is not subscribed for long: the end of a membership ends their sockets.
 */
async function subscribed(call: SocketCall, topic: string): Promise<readonly LiveServerMessage[]> {
  const { table, connectionId, user, now } = call;
  const { connection, isVisible } = await findWatched(table, { topic, ...user, connectionId, now });
  if (!connection) return [refusal('CONFLICT', 'The connection is ending; open another')];
  if (!isVisible) return [refusal('NOT_FOUND', 'Topic not found')];
  if (!(await subscribe(table, connection, topic))) {
    return [refusal('LIMIT_EXCEEDED', `At most ${maxSubscriptions} subscriptions for a connection`)];
  }
  return [{ type: 'subscribed', topic }, ...(await presentOf(table, topic))];
}

const refusal = (error: string, message: string): LiveServerMessage => ({ type: 'error', error, message });
