import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a client has to go by itself once it has been told all. */
const partingMs = 5_000;

/**
 * Lets go of a connection that nobody reads any more and whose last word is on its way. What still comes is read to
 * nothing, so that the client gets to see that word; one that stays is cut off.
 */
export function drainSocket(connection: Duplex): void {
  connection.resume();
  const cut = setTimeout(() => connection.destroy(), partingMs);
  connection.once('close', () => clearTimeout(cut));
}

/**
 * Has Node part with a client that way which is answered while it still talks. To close with something unread resets
 * the connection, and that may take the answer with it.
 */
export function drainAfterResponse(connection: Socket): void {
  connection.destroySoon = () => {
    connection.end();
    drainSocket(connection);
  };
}

interface LastAnswer {
  readonly status: number;
  readonly body: object;
  /** Further ones, each with the end of its line. */
  readonly headers?: string;
}

/** The last word on a connection that no response of the server belongs to. */
export function rejectConnection(connection: Duplex, { status, body, headers = '' }: LastAnswer): void {
  const text = JSON.stringify(body);
  connection.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  drainSocket(connection);
}
