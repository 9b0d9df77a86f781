// ping, and whatever no other route takes
import { socketRoute } from '../edge/socket.js';
import { readMessage } from './read-message.js';
import { badMessage, reply } from './socket-reply.js';

/** A client pings within the 10 minutes after which API Gateway ends a silent connection. */
export const handler = socketRoute(async (call) => {
  const message = readMessage(call.text, 'ping');
  if (!message) return badMessage(call);
  const { requestId } = message;
  await reply(call, { type: 'pong', ...(requestId ? { requestId } : {}) });
});
