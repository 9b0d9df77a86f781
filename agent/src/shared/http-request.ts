import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface HttpRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM of the authorities that are trusted instead of the public ones. */
  readonly ca?: string;
  /** A longer response is an error. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly isOk: boolean;
  readonly headers: IncomingHttpHeaders;
  /** @throws when the body is too long or incomplete */
  text(): string;
}

/**
 * Sends one request without following redirects. Not `fetch`, whose first requests take 17 MB that
 * are never freed.
 * @throws without a response, or on a redirect
 */
export async function sendRequest(question: HttpRequest): Promise<HttpResponse> {
  const response = await send(question);
  const { statusCode: status = 0, headers } = response;
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new Error(`The response is a redirect (${status})`);
  }
  const text = await textOf(response, question).then(
    (text) => () => text,
    (error: unknown) => () => {
      throw error;
    },
  );
  return { status, isOk: status >= 200 && status < 300, headers, text };
}

async function send(question: HttpRequest): Promise<IncomingMessage> {
  const { url, method = 'GET', headers, body, ca, signal } = question;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const open = url.startsWith('https:') ? requestHttps : requestHttp;
  const trust = ca === undefined ? {} : { ca };
  const sent = { method, headers: { 'user-agent': 'vm-agent', ...headers, ...length }, ...trust, signal };
  const request = open(url, sent);
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    request.end(body);
  });
}

async function textOf(response: IncomingMessage, { maxBytes, signal }: HttpRequest): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      length += chunk.length;
      if (length > maxBytes) throw new Error('The response is too long');
      chunks.push(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks).toString();
}
