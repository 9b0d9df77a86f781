import { isPlatformCookie } from './own-credentials.js';
import { type HeaderPair, pairsOf, withoutHopByHop } from './raw-headers.js';

/** Where the service is for the client, and where it believes to be. */
export interface PreviewPlace {
  readonly prefix: string;
  /** Hosts that are the service itself, in redirects. */
  readonly hosts: readonly string[];
}

/**
 * These speak for the whole origin, which is not the service's alone: they would move it elsewhere, report its addresses,
 * or put a worker before other services and the agent itself.
 */
const ofWholeOrigin = new Set(['alt-svc', 'nel', 'report-to', 'service-worker-allowed']);

/** Headers of a service's answer as the client gets them. Without a place they are passed on for a host of their own. */
export function clientHeaders(rawHeaders: readonly string[], place: PreviewPlace | null): HeaderPair[] {
  return withoutHopByHop(pairsOf(rawHeaders)).flatMap((pair) => cleaned(pair, place));
}

function cleaned([name, value]: HeaderPair, place: PreviewPlace | null): HeaderPair[] {
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

/** A service's cookie, for this service only; null when it would be one of the platform's. */
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
  // Browsers take such a cookie with no other path.
  if (/^__Host-/i.test(name)) return [' Path=/'];
  // Without a path the browser uses the folder of the page, which is below the prefix.
  if (!path?.startsWith('/')) return [];
  return [` Path=${isBelow(path, prefix) ? path : prefix + path}`];
}

/** A redirect within the service leads to where the client sees it. */
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
