import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** How long a client may take to answer a close. */
const partingMs = 1_000;

/**
 * All connections of the server: requests, sockets, and those that have not come as far as TLS. A server that closes
 * waits for each of them, and knows only of the first.
 */
export class OpenConnections {
  private readonly open = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.on('close', () => this.open.delete(socket));
    });
  }

  /** Does what ends the server, and cuts off whoever has not gone a moment later. */
  async endWith(close: () => Promise<void>): Promise<void> {
    const cut = setTimeout(() => {
      for (const socket of this.open) socket.destroy();
    }, partingMs);
    try {
      await close();
    } finally {
      clearTimeout(cut);
    }
  }
}
