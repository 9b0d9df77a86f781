import type { WebSocket } from 'ws';

/** Pings at every interval, and ends a socket of which nothing was heard for an interval and the time for an answer. */
export function keepAlive(
  socket: WebSocket,
  times: { readonly pingMs: number; readonly pongMs: number },
): void {
  let heardAt = performance.now();
  const heard = () => {
    heardAt = performance.now();
  };
  const timer = setInterval(
    () => {
      const silentMs = performance.now() - heardAt;
      if (silentMs > times.pingMs + times.pongMs) socket.terminate();
      else if (silentMs >= times.pingMs) socket.ping();
    },
    Math.min(times.pingMs, times.pongMs),
  );
  socket.on('pong', heard);
  socket.on('message', heard);
  socket.once('close', () => clearInterval(timer));
}
