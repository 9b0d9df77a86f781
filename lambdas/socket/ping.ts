// ping, and every message that no other route takes
import { messageRoute, reply } from './message-route.js';

/** A client pings within the 10 minutes after which API Gateway ends a silent connection. */
export const handler = messageRoute('ping', async (call, { requestId }) => {
  await reply(call, { type: 'pong', ...(requestId ? { requestId } : {}) });
});
