import type { IncomingMessage } from 'node:http';
import { type OwnCredentials, withoutPlatformCookies } from './own-credentials.js';
import { type HeaderPair, pairsOf, withoutHopByHop, withTrailersOf } from './raw-headers.js';

/** What a service is told of where its request comes from. */
export interface ForwardedAs {
  readonly host: string;
  readonly forwardedHost: string;
  readonly forwardedFor: string;
  readonly forwardedProto: 'http' | 'https';
  readonly forwardedPrefix: string | null;
}

/** Whatever a client says of these, the service hears them from us or not at all. */
const ours = /^(?:host|forwarded|x-real-ip|x-forwarded-.*|x-svc-.*)$/;

/** Headers of a request as the service gets them: nothing of the platform's secrets, and our word on where it is from. */
export function serviceHeaders(
  request: IncomingMessage,
  as: ForwardedAs,
  credentials: OwnCredentials,
): HeaderPair[] {
  const areChunks = request.headers['transfer-encoding'] !== undefined;
  const passed = withTrailersOf(areChunks, withoutHopByHop(pairsOf(request.rawHeaders)));
  const kept = passed.flatMap((pair) => cleaned(pair, credentials));
  return [
    ['Host', as.host],
    ...kept,
    ...framing(request),
    ['X-Forwarded-For', as.forwardedFor],
    ['X-Forwarded-Proto', as.forwardedProto],
    ['X-Forwarded-Host', as.forwardedHost],
    ...(as.forwardedPrefix === null ? [] : [['X-Forwarded-Prefix', as.forwardedPrefix] satisfies HeaderPair]),
  ];
}

function cleaned([name, value]: HeaderPair, credentials: OwnCredentials): HeaderPair[] {
  const key = name.toLowerCase();
  if (ours.test(key)) return [];
  if (key === 'authorization') return credentials.bearer(value) === null ? [[name, value]] : [];
  if (key === 'referer') return [[name, withoutTokenInAddress(value, credentials)]];
  if (key !== 'cookie') return [[name, value]];
  const cookies = withoutPlatformCookies(value);
  return cookies === null ? [] : [[name, cookies]];
}

function withoutTokenInAddress(address: string, credentials: OwnCredentials): string {
  const [before = '', query] = address.split(/(\?.*)/s);
  return query === undefined ? address : before + credentials.withoutToken(query);
}

/** How the body ends is a matter of each connection; so is whether trailers are wanted. */
function framing({ headers, method }: IncomingMessage): HeaderPair[] {
  const trailers: HeaderPair[] = /\btrailers\b/i.test(String(headers.te ?? '')) ? [['TE', 'trailers']] : [];
  if (headers['transfer-encoding'] !== undefined) return [...trailers, ['Transfer-Encoding', 'chunked']];
  const isBodyExpected = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const isSized = headers['content-length'] !== undefined;
  return isBodyExpected && !isSized ? [...trailers, ['Content-Length', '0']] : trailers;
}
