// unsubscribe
import { unsubscribe } from '../domain/live/connection.js';
import { messageRoute, reply } from './message-route.js';

export const handler = messageRoute('unsubscribe', async (call, { topic, requestId }) => {
  await unsubscribe(call.table, call.connectionId, topic);
  await reply(call, { type: 'unsubscribed', topic, ...(requestId ? { requestId } : {}) });
});
