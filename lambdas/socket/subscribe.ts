// subscribe
import type { LiveServerMessage } from '../../protocol/live.js';
import { maxSubscriptions, subscribe } from '../domain/live/connection.js';
import { currentEvents, findTopicAccess } from '../domain/live/topic-access.js';
import type { SocketCall } from '../edge/socket.js';
import { messageRoute, reply } from './message-route.js';

export const handler = messageRoute('subscribe', async (call, { topic, requestId }) => {
  const [answer, ...rest] = await subscribed(call, topic);
  if (answer) await reply(call, { ...answer, ...(requestId ? { requestId } : {}) });
  for (const message of rest) await reply(call, message);
});

/**
 * Checks the right, subscribes, then reads the state: a change in between is sent, perhaps twice,
 * never lost. The end of a membership closes sockets, so a right that was lost in between has no
 * effect for long. At most four table calls.
 */
async function subscribed(call: SocketCall, topic: string): Promise<readonly LiveServerMessage[]> {
  const { table, connectionId, user, now } = call;
  const { connection, isVisible } = await findTopicAccess(table, { topic, ...user, connectionId, now });
  if (!connection) return [refusal('CONFLICT', 'Connection is closing. Open another one.')];
  if (!isVisible) return [refusal('NOT_FOUND', 'Topic not found.')];
  if (!(await subscribe(table, connection, topic))) {
    return [
      refusal(
        'LIMIT_EXCEEDED',
        `Connection has ${maxSubscriptions} subscriptions (limit ${maxSubscriptions}). Unsubscribe from a topic first.`,
      ),
    ];
  }
  return [{ type: 'subscribed', topic }, ...(await currentEvents(table, topic))];
}

const refusal = (error: string, message: string): LiveServerMessage => ({ type: 'error', error, message });
