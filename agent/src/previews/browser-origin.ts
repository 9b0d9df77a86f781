import type { IncomingHttpHeaders } from 'node:http';

export interface BrowserRequest {
  readonly method: string;
  readonly isUpgrade: boolean;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Whether a request that only a cookie vouches for may be meant by the person, and not by a page of somebody else:
 * pages of this very origin may do all, other pages may link here and no more. What no browser sends says nothing of
 * where it comes from, and is let through.
 */
export function isMeantByPerson({ method, isUpgrade, headers }: BrowserRequest): boolean {
  const isReading = !isUpgrade && (method === 'GET' || method === 'HEAD');
  if (headers.origin !== undefined && !isOwnOrigin(headers)) return false;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return isReading && headers['sec-fetch-mode'] === 'navigate';
}

/** The scheme is not compared: behind a proxy the browser's may differ from ours, at the same host and port. */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  return host !== undefined && URL.parse(origin ?? '')?.host === host.toLowerCase();
}

/** A person's browser going to a page, as opposed to what pages and programs fetch. */
export function isNavigation({ method, isUpgrade, headers }: BrowserRequest): boolean {
  if (isUpgrade || (method !== 'GET' && method !== 'HEAD')) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? (headers.accept ?? '').includes('text/html') : mode === 'navigate';
}
