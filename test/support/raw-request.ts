import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends headers that fetch sets itself, as Host. A node's certificate is its own. */
export function rawRequest(origin: string, call: RawRequest): Promise<RawAnswer> {
  const { protocol, hostname, port } = new URL(origin);
  const { method = 'GET', path = '/', headers = {}, body } = call;
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  const options = { host: hostname, port, method, path, headers, agent: false, rejectUnauthorized: false };
  send(options, (answer) => {
    const { statusCode: status, headers: received } = answer;
    text(answer).then((content) => resolve({ status, headers: received, text: content }), reject);
  })
    .once('error', reject)
    .end(body);
  return promise;
}
