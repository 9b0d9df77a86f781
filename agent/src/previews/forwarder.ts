import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { AgentError } from '../errors.js';
import { drainSocket } from '../http/drain-socket.js';
import type { WorkspaceUse } from '../workspaces/workspace-use.js';
import { fetchAnswer, hasBody, type OpenExchanges, onAnswer, reasonOf, relay } from './exchange.js';
import {
  clientHeaders,
  type ForwardedAs,
  type HeaderPair,
  type PreviewPlace,
  serviceHeaders,
  withTrailersOf,
} from './headers.js';
import type { PlatformCredentials } from './platform-credentials.js';
import type { Services } from './services.js';

/** One authorized request for a service. */
export interface Forwarding {
  readonly request: IncomingMessage;
  readonly workspaceId: string;
  readonly port: number;
  /** Path and query, as the service receives them. */
  readonly path: string;
  readonly as: ForwardedAs;
  /** Null for a local forward: the client's own machine gives the service an origin. */
  readonly place: PreviewPlace | null;
  readonly sessionHash: string | null;
  readonly cookie: string | null;
}

export interface ForwarderDeps {
  readonly services: Services;
  readonly exchanges: OpenExchanges;
  readonly credentials: PlatformCredentials;
  readonly headerTimeoutMs: number;
  readonly use: Pick<WorkspaceUse, 'mark'>;
}

const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Forwards requests to services of workspaces, and streams their answers back. */
export class Forwarder {
  constructor(private readonly deps: ForwarderDeps) {}

  /**
   * Resolves when the answer has begun; the body is streamed afterwards.
   * @param onBegin called right before the first byte of the response
   * @throws AgentError when there is no answer; nothing has been written then
   */
  async forward(forwarding: Forwarding, response: ServerResponse, onBegin: () => void): Promise<void> {
    const { request, sessionHash, cookie, place } = forwarding;
    const forget = this.deps.exchanges.add(sessionHash, () => response.destroy());
    response.once('close', forget);
    const { outgoing, answer } = await this.request(forwarding, response);
    const headers = [...withTrailersOf(isChunked(request, answer), clientHeaders(answer.rawHeaders, place))];
    if (cookie !== null) headers.push(['Set-Cookie', cookie]);
    // An unread request body must not block the connection's next request.
    if (!request.complete) headers.push(['Connection', 'close']);
    response.writeHead(answer.statusCode ?? 502, reasonOf(answer), headers.flat());
    onBegin();
    relay(answer, response);
    response.once('close', () => {
      if (!answer.complete) outgoing.destroy();
    });
  }

  /** Forwards an upgrade; after its acceptance bytes pass both ways unchanged. */
  async upgrade(forwarding: Forwarding, client: Duplex, head: Buffer): Promise<void> {
    const { request, sessionHash, place } = forwarding;
    const outgoing = this.begin(forwarding, false, [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ]);
    const forget = this.deps.exchanges.add(sessionHash, () => client.destroy());
    client.once('close', () => {
      forget();
      outgoing.destroy();
    });
    const { answer, service, first } = await upgraded(outgoing, this.deps.headerTimeoutMs);
    const headers = clientHeaders(answer.rawHeaders, place);
    client.write(headText(answer, request.httpVersion, [...headers, ...connectionOf(service)]));
    if (!service) {
      pipeline(answer, client, () => drainSocket(client));
      return;
    }
    if (first.length > 0) client.write(first);
    if (head.length > 0) service.write(head);
    connectDuplex(client, service);
  }

  private async request(forwarding: Forwarding, response: ServerResponse) {
    const { request } = forwarding;
    const mayReuse = repeatable.has(request.method ?? '') && !hasBody(request);
    const timeout = { headerMs: this.deps.headerTimeoutMs };
    const outgoing = this.begin(forwarding, mayReuse);
    try {
      return { outgoing, answer: await fetchAnswer(outgoing, { request, response }, timeout) };
    } catch (error) {
      const isStale = outgoing.reusedSocket && error instanceof AgentError && error.code === 'bad_gateway';
      if (!isStale || response.destroyed) throw error;
      const again = this.begin(forwarding, false);
      return { outgoing: again, answer: await fetchAnswer(again, { request, response }, timeout) };
    }
  }

  private begin(forwarding: Forwarding, mayReuse: boolean, more: readonly HeaderPair[] = []): ClientRequest {
    const { request, workspaceId, port, path, as } = forwarding;
    this.deps.use.mark(workspaceId);
    const headers = [...serviceHeaders(request, as, this.deps.credentials), ...more];
    const method = request.method ?? 'GET';
    return this.deps.services.begin({ workspaceId, port, method, path, headers, mayReuse });
  }
}

/** Whether the client gets the answer with chunked encoding. */
function isChunked(
  { method, httpVersion }: IncomingMessage,
  { statusCode, headers }: IncomingMessage,
): boolean {
  const hasBody = method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
  return hasBody && httpVersion !== '1.0' && headers['content-length'] === undefined;
}

interface Upgraded {
  readonly answer: IncomingMessage;
  /** Null when the service answered without switching protocols. */
  readonly service: Duplex | null;
  readonly first: Buffer;
}

function upgraded(outgoing: ClientRequest, timeoutMs: number): Promise<Upgraded> {
  const { promise, resolve, reject } = Promise.withResolvers<Upgraded>();
  const timer = setTimeout(() => {
    outgoing.destroy(new AgentError('timed_out', 'The service did not answer'));
  }, timeoutMs);
  outgoing.once('upgrade', (answer, service, first) => resolve({ answer, service, first }));
  onAnswer(outgoing, (answer) => resolve({ answer, service: null, first: Buffer.alloc(0) }));
  outgoing.once('close', () =>
    reject(new AgentError('bad_gateway', 'The service closed the connection before its answer')),
  );
  outgoing.on('error', (error) => {
    const failed = () => new AgentError('bad_gateway', 'The service did not answer', { cause: error });
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

/** When one side ends or fails, the other side ends. */
function connectDuplex(a: Duplex, b: Duplex): void {
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
