import type { WebSocket } from 'ws';
import { terminalCloseCodes } from '../../../protocol/terminal.js';
import type { SessionEnds } from './session-ends.js';

/** How long a client may take to answer the close. */
const closeGraceMs = 1_000;

/**
 * The open sockets of each sign-in session. They close with the session and code 1008, after which
 * a client must not reconnect.
 */
export class SessionSockets {
  private readonly sockets = new Map<string, Set<WebSocket>>();

  constructor(private readonly ends: SessionEnds) {
    ends.onEnd((sessionHash) => {
      for (const socket of this.sockets.get(sessionHash) ?? []) end(socket);
    });
  }

  /** Closes the socket when this session ends, or at once when it ended during the handshake. */
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
