import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { AgentError } from '../errors.js';
import { drainSocket } from '../http/drain-socket.js';
import { clientHeaders, type PreviewPlace } from './client-headers.js';
import { answerOf, hasBody, onAnswer, reasonOf, relay } from './exchange.js';
import type { Exchanges } from './exchanges.js';
import type { OwnCredentials } from './own-credentials.js';
import { type HeaderPair, withTrailersOf } from './raw-headers.js';
import { type ForwardedAs, serviceHeaders } from './service-headers.js';
import type { Services } from './services.js';

/** One request for a service, once it is clear that the caller may make it. */
export interface Forwarding {
  readonly request: IncomingMessage;
  readonly workspaceId: string;
  readonly port: number;
  /** Path and query, as the service gets them. */
  readonly path: string;
  readonly as: ForwardedAs;
  /** Null where the client sees the service at a host of its own. */
  readonly place: PreviewPlace | null;
  readonly sessionHash: string | null;
  readonly cookie: string | null;
}

export interface ForwarderParts {
  readonly services: Services;
  readonly exchanges: Exchanges;
  readonly credentials: OwnCredentials;
  readonly headerTimeoutMs: number;
}

const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Passes requests on to services of workspaces and their answers back, as they come. */
export class Forwarder {
  constructor(private readonly parts: ForwarderParts) {}

  /**
   * Resolves when the answer has begun; the rest of it goes its way.
   * @param onBegin called right before anything is sent of the response
   * @throws AgentError when there will be no answer; nothing is written then
   */
  async forward(forwarding: Forwarding, response: ServerResponse, onBegin: () => void): Promise<void> {
    const { request, sessionHash, cookie, place } = forwarding;
    const forget = this.parts.exchanges.add(sessionHash, () => response.destroy());
    response.once('close', forget);
    const { outgoing, answer } = await this.ask(forwarding, response);
    const headers = [...withTrailersOf(isChunked(request, answer), clientHeaders(answer.rawHeaders, place))];
    if (cookie !== null) headers.push(['Set-Cookie', cookie]);
    // A body that nobody may want any more must not keep the connection from its next request.
    if (!request.complete) headers.push(['Connection', 'close']);
    response.writeHead(answer.statusCode ?? 502, reasonOf(answer), headers.flat());
    onBegin();
    relay(answer, response);
    response.once('close', () => {
      if (!answer.complete) outgoing.destroy();
    });
  }

  /** Passes an upgrade on; from its acceptance on bytes go both ways untouched. */
  async upgrade(forwarding: Forwarding, client: Duplex, head: Buffer): Promise<void> {
    const { request, sessionHash, place } = forwarding;
    const outgoing = this.begin(forwarding, false, [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ]);
    const forget = this.parts.exchanges.add(sessionHash, () => client.destroy());
    client.once('close', () => {
      forget();
      outgoing.destroy();
    });
    const { answer, service, first } = await upgraded(outgoing, this.parts.headerTimeoutMs);
    const headers = clientHeaders(answer.rawHeaders, place);
    client.write(headText(answer, request.httpVersion, [...headers, ...connectionOf(service)]));
    if (!service) {
      pipeline(answer, client, () => drainSocket(client));
      return;
    }
    if (first.length > 0) client.write(first);
    if (head.length > 0) service.write(head);
    join(client, service);
  }

  private async ask(forwarding: Forwarding, response: ServerResponse) {
    const { request } = forwarding;
    const mayReuse = repeatable.has(request.method ?? '') && !hasBody(request);
    const patience = { headerMs: this.parts.headerTimeoutMs };
    const outgoing = this.begin(forwarding, mayReuse);
    try {
      return { outgoing, answer: await answerOf(outgoing, { request, response }, patience) };
    } catch (error) {
      const isStale = outgoing.reusedSocket && error instanceof AgentError && error.code === 'bad_gateway';
      if (!isStale || response.destroyed) throw error;
      const again = this.begin(forwarding, false);
      return { outgoing: again, answer: await answerOf(again, { request, response }, patience) };
    }
  }

  private begin(forwarding: Forwarding, mayReuse: boolean, more: readonly HeaderPair[] = []): ClientRequest {
    const { request, workspaceId, port, path, as } = forwarding;
    const headers = [...serviceHeaders(request, as, this.parts.credentials), ...more];
    const method = request.method ?? 'GET';
    return this.parts.services.begin({ workspaceId, port, method, path, headers, mayReuse });
  }
}

/** Whether the client gets the answer in chunks. */
function isChunked(
  { method, httpVersion }: IncomingMessage,
  { statusCode, headers }: IncomingMessage,
): boolean {
  const hasBody = method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
  return hasBody && httpVersion !== '1.0' && headers['content-length'] === undefined;
}

interface Upgraded {
  readonly answer: IncomingMessage;
  /** Null when the service answered without changing the protocol. */
  readonly service: Duplex | null;
  readonly first: Buffer;
}

function upgraded(outgoing: ClientRequest, timeoutMs: number): Promise<Upgraded> {
  const { promise, resolve, reject } = Promise.withResolvers<Upgraded>();
  const timer = setTimeout(() => {
    outgoing.destroy(new AgentError('timed_out', 'The service does not answer'));
  }, timeoutMs);
  outgoing.once('upgrade', (answer, service, first) => resolve({ answer, service, first }));
  onAnswer(outgoing, (answer) => resolve({ answer, service: null, first: Buffer.alloc(0) }));
  outgoing.once('close', () => reject(new AgentError('bad_gateway', 'The service ended the connection')));
  outgoing.on('error', (error) => {
    const failed = () => new AgentError('bad_gateway', 'The service does not answer', { cause: error });
    reject(error instanceof AgentError ? error : failed());
  });
  outgoing.end();
  return promise.finally(() => clearTimeout(timer));
}

function connectionOf(service: Duplex | null): HeaderPair[] {
  if (service === null) return [['Connection', 'close']];
  return [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ];
}

function headText(answer: IncomingMessage, version: string, headers: readonly HeaderPair[]): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/${version} ${answer.statusCode} ${reasonOf(answer)}\r\n${lines.join('')}\r\n`;
}

/** An end at one side is an end at the other, orderly or not. */
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
