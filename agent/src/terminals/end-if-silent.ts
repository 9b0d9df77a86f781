import type { WebSocket } from 'ws';
import { terminalLimits } from '../../../protocol/terminal.js';

/** Pings, and ends a socket whose other end has been silent for too long, by the clock that nobody sets. */
export function endIfSilent(socket: Pick<WebSocket, 'on' | 'ping' | 'terminate'>): void {
  let heardAt = performance.now();
  const heard = () => {
    heardAt = performance.now();
  };
  const timer = setInterval(() => {
    if (performance.now() - heardAt > terminalLimits.readTimeoutMs) socket.terminate();
    else socket.ping();
  }, terminalLimits.pingIntervalMs);
  socket.on('message', heard);
  socket.on('pong', heard);
  socket.on('close', () => clearInterval(timer));
}
