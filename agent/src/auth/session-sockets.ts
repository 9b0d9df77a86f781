import type { WebSocket } from 'ws';
import { terminalCloseCodes } from '../../../protocol/terminal.js';
import type { SessionEnds } from './session-ends.js';

/** How long a client has to answer the close; what it sends meanwhile is not listened to. */
const closeGraceMs = 1_000;

/**
 * The open sockets of each sign-in session. They end with it by close code 1008: a client that comes back with the same
 * session would be refused, so it must not even try.
 */
export class SessionSockets {
  private readonly sockets = new Map<string, Set<WebSocket>>();

  constructor(private readonly ends: SessionEnds) {
    ends.onEnd((sessionHash) => {
      for (const socket of this.sockets.get(sessionHash) ?? []) end(socket);
    });
  }

  /** Ends the socket with this session, at once where the session ended while the socket was being opened. */
  add(sessionHash: string, socket: WebSocket): void {
    const ofSession = this.sockets.get(sessionHash) ?? new Set();
    this.sockets.set(sessionHash, ofSession.add(socket));
    socket.once('close', () => {
      ofSession.delete(socket);
      if (ofSession.size === 0 && this.sockets.get(sessionHash) === ofSession)
        this.sockets.delete(sessionHash);
    });
    if (this.ends.hasEnded(sessionHash)) end(socket);
  }
}

function end(socket: WebSocket): void {
  socket.close(terminalCloseCodes.policy, 'session ended');
  const timer = setTimeout(() => socket.terminate(), closeGraceMs);
  socket.once('close', () => clearTimeout(timer));
}
