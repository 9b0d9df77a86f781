import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { contentSecurityPolicy, isolationHeaders } from '../../infra/security-header-values.js';

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

const loopback = ['http://*.localhost:*', 'ws://*.localhost:*', 'http://localhost:*', 'http://127.0.0.1:*'];

/** What CloudFront adds in the cloud, but for what needs TLS. An answer's own header wins. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy(loopback),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  ...isolationHeaders,
};
