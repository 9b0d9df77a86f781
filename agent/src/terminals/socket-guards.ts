import type { WebSocket } from 'ws';
import { terminalLimits } from '../../../protocol/terminal.js';

/**
 * Pings the peer, and terminates the socket when the peer was silent for too long (monotonic
 * clock). A paused socket is not read, so its peer is not silent.
 */
export function terminateWhenSilent(socket: Pick<WebSocket, 'on' | 'ping' | 'terminate' | 'isPaused'>): void {
  let lastReceivedAt = performance.now();
  const received = () => {
    lastReceivedAt = performance.now();
  };
  const timer = setInterval(() => {
    if (socket.isPaused) received();
    if (performance.now() - lastReceivedAt > terminalLimits.readTimeoutMs) socket.terminate();
    else socket.ping();
  }, terminalLimits.pingIntervalMs);
  socket.on('message', received);
  socket.on('pong', received);
  socket.on('close', () => clearInterval(timer));
}

/**
 * Terminal output pauses far below this limit; only replies to a client that never reads reach it.
 */
const maxBufferedBytes = 1_024 * 1_024;

/**
 * Terminates a client that sends requests and does not read the replies. Returns whether it did.
 */
export function terminateIfBacklogged(socket: Pick<WebSocket, 'bufferedAmount' | 'terminate'>): boolean {
  const isBacklogged = socket.bufferedAmount > maxBufferedBytes;
  if (isBacklogged) socket.terminate();
  return isBacklogged;
}
