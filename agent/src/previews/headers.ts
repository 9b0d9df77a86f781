import type { IncomingMessage } from 'node:http';
import {
  isPlatformCookie,
  type PlatformCredentials,
  withoutPlatformCookies,
} from './platform-credentials.js';

export type HeaderPair = [name: string, value: string];

/** Headers in original order, with repeats. */
export function pairsOf(rawHeaders: readonly string[]): HeaderPair[] {
  return Array.from(
    { length: rawHeaders.length / 2 },
    (_, index): HeaderPair => [rawHeaders[2 * index] ?? '', rawHeaders[2 * index + 1] ?? ''],
  );
}

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Without hop-by-hop headers: the standard ones, and those that Connection names. */
export function withoutHopByHop(pairs: readonly HeaderPair[]): HeaderPair[] {
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((token) => token.trim()),
    );
  const dropped = new Set([...hopByHop, ...named]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** Trailers can be announced only with a chunked body. */
export function withTrailersOf(areChunks: boolean, pairs: readonly HeaderPair[]): readonly HeaderPair[] {
  return areChunks ? pairs : pairs.filter(([name]) => name.toLowerCase() !== 'trailer');
}

/** The prefix at which the client sees the service, and the service's own hosts. */
export interface PreviewPlace {
  readonly prefix: string;
  /** Hosts that mean the service itself, in redirects. */
  readonly hosts: readonly string[];
}

/**
 * These headers affect the whole origin, which the service shares: move it elsewhere, report its
 * addresses, or install a worker in front of other services and the agent.
 */
const ofWholeOrigin = new Set(['alt-svc', 'nel', 'report-to', 'service-worker-allowed']);

/**
 * Headers of a service's answer for the client. A local forward has no place: redirects and cookies
 * pass unchanged.
 */
export function clientHeaders(rawHeaders: readonly string[], place: PreviewPlace | null): HeaderPair[] {
  return withoutHopByHop(pairsOf(rawHeaders)).flatMap((pair) => clientHeader(pair, place));
}

function clientHeader([name, value]: HeaderPair, place: PreviewPlace | null): HeaderPair[] {
  const key = name.toLowerCase();
  if (key === 'set-cookie') {
    const cookie = isolatedCookie(value, place);
    return cookie === null ? [] : [[name, cookie]];
  }
  if (place === null) return [[name, value]];
  if (ofWholeOrigin.has(key)) return [];
  if (key === 'location') return [[name, movedLocation(value, place)]];
  if (key !== 'clear-site-data') return [[name, value]];
  const kept = value.split(',').filter((part) => !/^\s*"(?:cookies|\*)"\s*$/i.test(part));
  return kept.length === 0 ? [] : [[name, kept.join(',').trim()]];
}

/** A service's cookie, limited to this service; null when it has a platform name. */
function isolatedCookie(cookie: string, place: PreviewPlace | null): string | null {
  const [pair = '', ...attributes] = cookie.split(';');
  const name = pair.split('=', 1)[0]?.trim() ?? '';
  if (isPlatformCookie(name)) return null;
  if (place === null) return cookie;
  const kept = attributes.filter((attribute) => !/^\s*(?:domain|path)\s*(?:=|$)/i.test(attribute));
  const path = attributes.map((attribute) => /^\s*path\s*=\s*(.*?)\s*$/i.exec(attribute)?.[1]).find(Boolean);
  return [pair, ...kept, ...cookiePath(name, path, place.prefix)].join(';');
}

function cookiePath(name: string, path: string | undefined, prefix: string): string[] {
  // Browsers accept such a cookie with no other path.
  if (/^__Host-/i.test(name)) return [' Path=/'];
  // Without a path the browser uses the page's folder, which is below the prefix.
  if (!path?.startsWith('/')) return [];
  return [` Path=${isBelow(path, prefix) ? path : prefix + path}`];
}

/** Rewrites a redirect within the service to the preview's address. */
function movedLocation(location: string, { prefix, hosts }: PreviewPlace): string {
  const [, host, rest = ''] = /^(?:https?:)?\/\/([^/?#]+)(.*)$/is.exec(location) ?? [];
  if (host !== undefined && !hosts.includes(host.toLowerCase())) return location;
  const path = host === undefined ? location : rest.startsWith('/') ? rest : `/${rest}`;
  if (!path.startsWith('/') || isBelow(path, prefix)) return path;
  return prefix + path;
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || (path.startsWith(prefix) && /^[/?#]/.test(path.slice(prefix.length)));
}

/** The forwarding headers that the service receives. */
export interface ForwardedAs {
  readonly host: string;
  /** Replaces the client's Origin; null: unchanged. */
  readonly origin: string | null;
  readonly forwardedHost: string;
  readonly forwardedFor: string;
  readonly forwardedProto: 'http' | 'https';
  readonly forwardedPrefix: string | null;
}

/** Headers that only the agent sets; values of the client are dropped. */
const setByAgent = /^(?:host|forwarded|x-real-ip|x-forwarded-.*|x-svc-.*)$/;

/** Headers of a request for the service: without platform secrets, with forwarding headers. */
export function serviceHeaders(
  request: IncomingMessage,
  as: ForwardedAs,
  credentials: PlatformCredentials,
): HeaderPair[] {
  const areChunks = request.headers['transfer-encoding'] !== undefined;
  const passed = withTrailersOf(areChunks, withoutHopByHop(pairsOf(request.rawHeaders)));
  const kept = passed.flatMap((pair) => serviceHeader(withOrigin(pair, as), credentials));
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

function serviceHeader([name, value]: HeaderPair, credentials: PlatformCredentials): HeaderPair[] {
  const key = name.toLowerCase();
  if (setByAgent.test(key)) return [];
  if (key === 'authorization') return credentials.bearer(value) === null ? [[name, value]] : [];
  if (key === 'referer') return [[name, withoutTokenInAddress(value, credentials)]];
  if (key !== 'cookie') return [[name, value]];
  const cookies = withoutPlatformCookies(value);
  return cookies === null ? [] : [[name, cookies]];
}

function withOrigin([name, value]: HeaderPair, { origin }: ForwardedAs): HeaderPair {
  return [name, name.toLowerCase() === 'origin' ? (origin ?? value) : value];
}

function withoutTokenInAddress(address: string, credentials: PlatformCredentials): string {
  const [before = '', query] = address.split(/(\?.*)/s);
  return query === undefined ? address : before + credentials.withoutToken(query);
}

/** Body framing and trailers are negotiated per connection. */
function framing({ headers, method }: IncomingMessage): HeaderPair[] {
  const trailers: HeaderPair[] = /\btrailers\b/i.test(String(headers.te ?? '')) ? [['TE', 'trailers']] : [];
  if (headers['transfer-encoding'] !== undefined) return [...trailers, ['Transfer-Encoding', 'chunked']];
  const isBodyExpected = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const isSized = headers['content-length'] !== undefined;
  return isBodyExpected && !isSized ? [...trailers, ['Content-Length', '0']] : trailers;
}
