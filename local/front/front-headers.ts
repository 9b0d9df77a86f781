import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** Headers of one connection, which no proxy passes on. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
]);

export function withoutHopByHop(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}

const platformCookie = /^__(?:Host|Secure)-berth_/;

/** What a node may see: the platform's own cookies are for the control plane alone. */
export function forNode(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const { cookie, ...others } = withoutHopByHop(headers);
  const kept = String(cookie ?? '')
    .split('; ')
    .filter((pair) => pair !== '' && !platformCookie.test(pair));
  return kept.length === 0 ? others : { ...others, cookie: kept.join('; ') };
}
