import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** How long a client may take to close its connection. */
const closeTimeoutMs = 1_000;

/**
 * All connections of the server, including WebSockets and unfinished TLS handshakes. A server that
 * closes waits for all of them, but can close only those of HTTP requests.
 */
export class OpenConnections {
  private readonly open = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.on('close', () => this.open.delete(socket));
    });
  }

  /** Closes the server, and destroys the connections that remain after a timeout. */
  async endWith(close: () => Promise<void>): Promise<void> {
    const cut = setTimeout(() => {
      for (const socket of this.open) socket.destroy();
    }, closeTimeoutMs);
    try {
      await close();
    } finally {
      clearTimeout(cut);
    }
  }
}
