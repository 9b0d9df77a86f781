import type { IncomingHttpHeaders } from 'node:http';

interface Caller {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** The names of this machine that no DNS server can give to another one. */
const ownNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * DNS rebinding makes a page same-origin with what answers here, but Host still names the page's
 * site. Ports do not matter.
 */
export function isOwnHost(host: string | undefined, moreNames: readonly string[] = []): boolean {
  const name = (host ?? '').toLowerCase().replace(/:\d+$/, '');
  return ownNames.has(name) || moreNames.includes(name);
}

export const refusedHost = 'This name is not served here.\n';
export const refusedPage = 'Pages of other origins are not served here.\n';

/** Whether a page of another origin sent the request. Programs send neither header. */
export function isOfForeignPage({ headers }: Caller, ownOrigins: readonly string[] = []): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && !ownOrigins.includes(origin)) return true;
  return site !== undefined && site !== 'none' && site !== 'same-origin';
}

/** A person follows a link in a tab; the page with the link cannot read the answer. */
export const isVisit = ({ method, headers }: Caller): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.origin === undefined &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document';
