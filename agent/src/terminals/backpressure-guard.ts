import type { WebSocket } from 'ws';

/** Output of terminals stops at a fraction of it; answers of a few hundred bytes each come to so much after minutes only. */
const mostUnreadBytes = 1_024 * 1_024;

/** Ends a client that talks and never reads what it is answered, which would be kept for it without end. */
export function terminateIfBacklogged(socket: Pick<WebSocket, 'bufferedAmount' | 'terminate'>): boolean {
  const isUnread = socket.bufferedAmount > mostUnreadBytes;
  if (isUnread) socket.terminate();
  return isUnread;
}
