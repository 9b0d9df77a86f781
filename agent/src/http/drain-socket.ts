import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a client may take to close the connection. */
const drainTimeoutMs = 5_000;

/**
 * Reads and drops the rest of a request after its response was sent, so that the client can read
 * the response. Destroys the connection after a timeout.
 */
export function drainSocket(connection: Duplex): void {
  connection.resume();
  const cut = setTimeout(() => connection.destroy(), drainTimeoutMs);
  connection.once('close', () => clearTimeout(cut));
}

/**
 * Drains a request that is still being sent when its response has ended. Closing a connection with
 * unread data resets it, and the client may lose the response.
 */
export function drainAfterResponse(connection: Socket): void {
  connection.destroySoon = () => {
    connection.end();
    drainSocket(connection);
  };
}

interface Rejection {
  readonly status: number;
  readonly body: object;
  /** Further headers, each with its line end. */
  readonly headers?: string;
}

/** Answers on a connection that has no response object: an upgrade, or an unreadable request. */
export function rejectConnection(connection: Duplex, { status, body, headers = '' }: Rejection): void {
  const text = JSON.stringify(body);
  connection.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  drainSocket(connection);
}
