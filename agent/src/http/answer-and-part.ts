import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { partWith } from './part-with.js';

interface LastAnswer {
  readonly status: number;
  readonly body: object;
  /** Further ones, each with the end of its line. */
  readonly headers?: string;
}

/** The last word on a connection that no response of the server belongs to. */
export function answerAndPart(connection: Duplex, { status, body, headers = '' }: LastAnswer): void {
  const text = JSON.stringify(body);
  connection.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  partWith(connection);
}
