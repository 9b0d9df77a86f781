import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { SessionEnds } from '../auth/session-ends.js';
import { AgentError } from '../errors.js';
import { pairsOf } from './headers.js';

/** Timeout until the answer begins; the body has no time limit. */
export interface HeaderTimeout {
  readonly headerMs: number;
}

/**
 * Sends the request body and waits for the beginning of the service's answer. When the client
 * disconnects, the request to the service ends.
 * @throws AgentError bad_gateway or timed_out, and errors of the dial
 */
export function fetchAnswer(
  outgoing: ClientRequest,
  client: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { headerMs }: HeaderTimeout,
): Promise<IncomingMessage> {
  const { request, response } = client;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const timer = setTimeout(() => {
    outgoing.destroy(new AgentError('timed_out', 'The service did not answer'));
  }, headerMs);
  const abort = () => outgoing.destroy();
  response.once('close', abort);
  const endedEarly = () =>
    reject(new AgentError('bad_gateway', 'The service closed the connection before its answer'));
  onAnswer(outgoing, (answer) => {
    outgoing.off('close', endedEarly);
    resolve(answer);
  });
  outgoing.once('continue', () => response.writeContinue());
  outgoing.once('close', endedEarly);
  outgoing.on('error', (error) => {
    // After the answer has begun, a request body that the service does not read is no failure.
    request.unpipe(outgoing);
    request.resume();
    reject(
      error instanceof AgentError
        ? error
        : new AgentError('bad_gateway', 'The service did not answer', { cause: error }),
    );
  });
  sendBody(request, outgoing, () => timer.refresh());
  return promise.finally(() => clearTimeout(timer));
}

/**
 * Receives the service's answer. The parser accepts any three digits as a status; statuses below
 * 200 cannot be forwarded.
 */
export function onAnswer(outgoing: ClientRequest, take: (answer: IncomingMessage) => void): void {
  outgoing.once('response', (answer) => {
    if ((answer.statusCode ?? 0) >= 200) take(answer);
    else outgoing.destroy(new AgentError('bad_gateway', 'The service answered with an invalid HTTP status'));
  });
}

/** The status message; empty when it is not ASCII, because its encoding is unknown. */
export function reasonOf({ statusMessage = '' }: IncomingMessage): string {
  return /^[\t\x20-\x7e]*$/.test(statusMessage) ? statusMessage : '';
}

function sendBody(request: IncomingMessage, outgoing: ClientRequest, onProgress: () => void): void {
  if (!hasBody(request)) {
    outgoing.end();
    return;
  }
  // A service may answer before the body arrives.
  outgoing.flushHeaders();
  request.on('data', onProgress);
  request.pipe(outgoing, { end: false });
  request.once('end', () => {
    if (request.rawTrailers.length > 0) outgoing.addTrailers(pairsOf(request.rawTrailers));
    outgoing.end();
  });
  request.once('error', () => outgoing.destroy());
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Streams the answer with its trailers to the client; a broken answer breaks the client's
 * connection.
 */
export function relay(answer: IncomingMessage, response: ServerResponse): void {
  // Sends a small answer with its head in one packet; flushes the head when the body is slow.
  const flushing = setImmediate(() => response.flushHeaders());
  answer.once('data', () => clearImmediate(flushing));
  answer.pipe(response, { end: false });
  answer.once('end', () => {
    clearImmediate(flushing);
    if (answer.rawTrailers.length > 0) response.addTrailers(pairsOf(answer.rawTrailers));
    response.end();
  });
  answer.once('error', () => response.destroy());
}

/** Open exchanges between services and clients, by the sign-in session that ends them. */
export class OpenExchanges implements AsyncDisposable {
  private readonly open = new Map<string, Set<() => void>>();

  constructor(ends: Pick<SessionEnds, 'onEnd'>) {
    ends.onEnd((sessionHash) => this.end(sessionHash));
  }

  /** @returns a function to call when the exchange has ended */
  add(sessionHash: string | null, end: () => void): () => void {
    const key = sessionHash ?? '';
    const ofSession = this.open.get(key) ?? new Set();
    this.open.set(key, ofSession.add(end));
    return () => {
      ofSession.delete(end);
      if (ofSession.size === 0 && this.open.get(key) === ofSession) this.open.delete(key);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const sessionHash of [...this.open.keys()]) this.end(sessionHash);
  }

  private end(sessionHash: string): void {
    for (const end of [...(this.open.get(sessionHash) ?? [])]) end();
  }
}
