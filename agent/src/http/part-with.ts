import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a client has to go by itself once it has been told all. */
const partingMs = 5_000;

/**
 * Lets go of a connection that nobody reads any more and whose last word is on its way. What still comes is read to
 * nothing, so that the client gets to see that word; one that stays is cut off.
 */
export function partWith(connection: Duplex): void {
  connection.resume();
  const cut = setTimeout(() => connection.destroy(), partingMs);
  connection.once('close', () => clearTimeout(cut));
}

/**
 * Has Node part with a client that way which is answered while it still talks. To close with something unread resets
 * the connection, and that may take the answer with it.
 */
export function partAfterAnswer(connection: Socket): void {
  connection.destroySoon = () => {
    connection.end();
    partWith(connection);
  };
}
