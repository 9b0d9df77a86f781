import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { AgentError } from '../errors.js';
import { pairsOf } from './raw-headers.js';

/** A service's whole answer takes as long as it takes; only its beginning is waited for. */
export interface Patience {
  readonly headerMs: number;
}

/**
 * Sends the client's request body on and waits for the beginning of the service's answer. A client that goes away ends
 * the request to the service.
 * @throws AgentError bad_gateway or timed_out, and what dialling throws
 */
export function answerOf(
  outgoing: ClientRequest,
  client: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { headerMs }: Patience,
): Promise<IncomingMessage> {
  const { request, response } = client;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const timer = setTimeout(() => {
    outgoing.destroy(new AgentError('timed_out', 'The service does not answer'));
  }, headerMs);
  const abort = () => outgoing.destroy();
  response.once('close', abort);
  const endedEarly = () => reject(new AgentError('bad_gateway', 'The service ended the connection'));
  onAnswer(outgoing, (answer) => {
    outgoing.off('close', endedEarly);
    resolve(answer);
  });
  outgoing.once('continue', () => response.writeContinue());
  outgoing.once('close', endedEarly);
  outgoing.on('error', (error) => {
    // Once the answer has begun, a request body that the service does not read is no failure.
    request.unpipe(outgoing);
    request.resume();
    reject(
      error instanceof AgentError
        ? error
        : new AgentError('bad_gateway', 'The service does not answer', { cause: error }),
    );
  });
  sendBody(request, outgoing, () => timer.refresh());
  return promise.finally(() => clearTimeout(timer));
}

/** Takes the service's answer; the parser takes any three digits for a status, which is more than can be passed on. */
export function onAnswer(outgoing: ClientRequest, take: (answer: IncomingMessage) => void): void {
  outgoing.once('response', (answer) => {
    if ((answer.statusCode ?? 0) >= 200) take(answer);
    else outgoing.destroy(new AgentError('bad_gateway', 'The service answers with no status of HTTP'));
  });
}

/** What stands beside the status; nothing where it is more than ASCII, whose encoding would be a guess. */
export function reasonOf({ statusMessage = '' }: IncomingMessage): string {
  return /^[\t\x20-\x7e]*$/.test(statusMessage) ? statusMessage : '';
}

function sendBody(request: IncomingMessage, outgoing: ClientRequest, onProgress: () => void): void {
  if (!hasBody(request)) {
    outgoing.end();
    return;
  }
  // A service may answer before there is a body.
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

/** Streams the service's answer to the client, trailers and all; an answer that breaks off breaks off there too. */
export function relay(answer: IncomingMessage, response: ServerResponse): void {
  // Small answers go out with their head in one piece; a head whose body is long in coming goes out by itself.
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
