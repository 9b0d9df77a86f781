import type { LiveServerMessage } from '../../../protocol/live.js';
import { RateLimited } from '../../shared/errors.js';
import { countRequest } from '../rate-limits/count-request.js';
import { rateLimits } from '../rate-limits/rate-limits.js';
import { endConnection, type LiveSockets, push } from './push.js';

const limit = rateLimits.LIVE_MESSAGE;

interface Sender {
  readonly userId: string;
  readonly connectionId: string;
  readonly now: Date;
}

/**
 * Counts a message of a person on any live socket; above the limit the socket is closed, because
 * all sockets share one throttle. False when it was. One table call while there is room.
 */
export async function countMessage(sockets: LiveSockets, sender: Sender): Promise<boolean> {
  const { userId, connectionId, now } = sender;
  try {
    await countRequest(sockets.table, limit, { id: userId, now });
    return true;
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error;
    // A connection that takes no frame is closed all the same.
    await push(sockets, connectionId, tooManyMessages).catch(() => undefined);
    await endConnection(sockets, connectionId);
    return false;
  }
}

const tooManyMessages: LiveServerMessage = {
  type: 'error',
  error: 'RATE_LIMIT_EXCEEDED',
  message: `You sent more than ${limit.limit} messages on live sockets within a minute (limit ${limit.limit}), so this one was closed. Connect again in a minute.`,
};
