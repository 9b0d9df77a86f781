import type { WebSocket } from 'ws';

/** Pings a silent socket, and ends it when neither a pong nor a message arrives in time. */
export function keepAlive(
  socket: WebSocket,
  times: { readonly pingMs: number; readonly pongMs: number },
): void {
  let receivedAt = performance.now();
  const onReceived = () => {
    receivedAt = performance.now();
  };
  const timer = setInterval(
    () => {
      const silentMs = performance.now() - receivedAt;
      if (silentMs > times.pingMs + times.pongMs) socket.terminate();
      else if (silentMs >= times.pingMs) socket.ping();
    },
    Math.min(times.pingMs, times.pongMs),
  );
  socket.on('pong', onReceived);
  socket.on('message', onReceived);
  socket.once('close', () => clearInterval(timer));
}
