// unsubscribe
import { unsubscribe } from '../domain/live/connection.js';
import { socketRoute } from '../edge/socket.js';
import { readMessage } from './read-message.js';
import { badMessage, reply } from './socket-reply.js';

export const handler = socketRoute(async (call) => {
  const message = readMessage(call.text, 'unsubscribe');
  if (!message) return badMessage(call);
  const { topic, requestId } = message;
  await unsubscribe(call.table, call.connectionId, topic);
  await reply(call, { type: 'unsubscribed', topic, ...(requestId ? { requestId } : {}) });
});
