import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { algorithm, canonicalQuery, encodeUri, signatureV4 } from '../../lambdas/shared/presign-url.js';
import { region } from '../region.js';
import type { EmulatorAccess, Keys } from './keys.js';

interface ReceivedRequest {
  readonly method: string;
  /** Path and query, as the request line has them. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface AwsCall {
  readonly service: string;
  readonly method?: string;
  /** Path and query. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

const maxSkewMs = 5 * 60_000;
const form =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^/]+\/[^/]+\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Whether a holder of the keys signed this request and its body within the last minutes. */
export function isSigned(request: ReceivedRequest, keys: Keys): boolean {
  const { headers } = request;
  const [, id = '', scope = '', names = '', signature = ''] = form.exec(headers.authorization ?? '') ?? [];
  const at = String(headers['x-amz-date'] ?? '');
  if (!isSame(id, keys.accessKeyId) || !isRecent(at) || !scope.startsWith(at.slice(0, 8))) return false;
  const signed = names.split(';');
  if (!signed.includes('host')) return false;
  return isSame(signature, signatureV4(canonicalRequest(request, signed), { at, scope, ...keys }));
}

/** Calls an AWS service of the emulator that this project has no client of. */
export function callAws(access: EmulatorAccess, call: AwsCall): Promise<Response> {
  const { method, path, headers, body } = signedRequest(access, call);
  return fetch(new URL(path, access.endpoint), {
    ...{ method, headers },
    ...(method === 'GET' ? {} : { body }),
    ...(call.signal ? { signal: call.signal } : {}),
  });
}

export function signedRequest({ endpoint, keys }: EmulatorAccess, call: AwsCall) {
  const { service, method = 'POST', path = '/', body = '' } = call;
  const { host, pathname, search } = new URL(path, endpoint);
  const at = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const headers = { ...call.headers, host, 'x-amz-date': at };
  const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`;
  const names = Object.keys(headers).toSorted();
  const request = { method, url: `${pathname}${search}`, headers, body: Buffer.from(body) };
  const signature = signatureV4(canonicalRequest(request, names), { at, scope, ...keys });
  const credential = `Credential=${keys.accessKeyId}/${scope}`;
  const authorization = `${algorithm} ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { method, path: request.url, headers: { ...headers, authorization }, body };
}

function canonicalRequest({ method, url, headers, body }: ReceivedRequest, names: readonly string[]): string {
  const [path = '/', query = ''] = url.split(/\?(.*)/s);
  return [
    method,
    path.split('/').map(encodeUri).join('/'),
    canonicalQuery(Object.fromEntries(new URLSearchParams(query))),
    ...names.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    createHash('sha256').update(body).digest('hex'),
  ].join('\n');
}

function isRecent(at: string): boolean {
  const signedAt = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
  return Math.abs(Date.now() - signedAt) <= maxSkewMs;
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
