import {
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { withoutHopByHop } from './front-headers.js';

/** One server behind the front. */
export interface Upstream {
  readonly protocol: 'http:' | 'https:';
  readonly port: number;
  /** The authority that its certificate must be signed by. */
  readonly ca?: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

function open({ protocol, port, ca, path, headers }: Upstream, method: string | undefined) {
  const options = { host: '127.0.0.1', port, path, headers, method };
  // The certificate names the loopback address, which is what is dialled, and not what the client
  // asked for.
  return protocol === 'https:'
    ? httpsRequest({ ...options, ca, servername: '', agent: false })
    : httpRequest({ ...options, agent: false });
}

/** Passes a request on and streams the answer back, as it comes. */
export function forward(upstream: Upstream, request: IncomingMessage, response: ServerResponse): void {
  const outgoing = open(upstream, request.method);
  outgoing.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  outgoing.once('error', () => refuse(response));
  response.once('close', () => outgoing.destroy());
  request.pipe(outgoing);
}

function refuse(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(502, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ error: 'BAD_GATEWAY', message: 'The server behind the front address does not answer' }),
  );
}

/** Passes a WebSocket upgrade on; from its acceptance on, bytes go both ways untouched. */
// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
export function forwardUpgrade(
  upstream: Upstream,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const headers = { ...upstream.headers, connection: 'Upgrade', upgrade: request.headers.upgrade };
  const outgoing = open({ ...upstream, headers }, request.method);
  socket.on('error', () => outgoing.destroy());
  outgoing.once('upgrade', (answer, upstreamSocket, upstreamHead) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${rawHeaders(answer)}\r\n`);
    if (upstreamHead.length > 0) socket.write(upstreamHead);
    if (head.length > 0) upstreamSocket.write(head);
    join(socket, upstreamSocket);
  });
  outgoing.once('response', (answer) => {
    socket.write(
      `HTTP/1.1 ${answer.statusCode ?? 502} ${answer.statusMessage ?? ''}\r\n${rawHeaders(answer)}\r\n`,
    );
    answer.pipe(socket);
  });
  outgoing.once('error', () =>
    socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  );
  outgoing.end();
}

/** An end at one side is an end at the other, orderly or not: a cut must be seen as a cut. */
function join(a: Duplex, b: Duplex): void {
  a.pipe(b);
  b.pipe(a);
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    one.once('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
}

function rawHeaders({ rawHeaders: raw }: IncomingMessage): string {
  let text = '';
  for (let index = 0; index < raw.length; index += 2) {
    // The body is re-framed by the end of the connection.
    if (raw[index]?.toLowerCase() !== 'transfer-encoding') text += `${raw[index]}: ${raw[index + 1]}\r\n`;
  }
  return text;
}
