import { parsePreviewHost } from '../../../protocol/preview-host.js';

/** The address of a request for a service of a workspace, not decoded. */
export interface PreviewAddress {
  readonly kind: 'ports' | 'local-forward';
  /** The part before the service's own path; empty at a host of its own. */
  readonly prefix: string;
  /** The service's own path; empty when the address ends with the port. */
  readonly path: string;
  /** With its question mark; empty without a query. */
  readonly query: string;
}

/** Path and query of a request, and its Host header. */
export interface RequestAddress {
  readonly url?: string | undefined;
  readonly headers: { readonly host?: string | undefined };
}

const pattern = /^(\/workspaces\/[^/?]+\/(ports|local-forward)\/[^/?]+)(\/[^?]*)?(\?.*)?$/s;

/** Null for every other address. A host of a service has no other addresses. */
export function parsePreviewAddress({ url = '/', headers }: RequestAddress): PreviewAddress | null {
  if (parsePreviewHost(headers.host)) {
    const [, path, query = ''] = /^(\/[^?]*)(\?.*)?$/s.exec(url) ?? [];
    return path === undefined ? null : { kind: 'ports', prefix: '', path, query };
  }
  const [, prefix, kind, path = '', query = ''] = pattern.exec(url) ?? [];
  if (prefix === undefined) return null;
  return { kind: kind === 'ports' ? 'ports' : 'local-forward', prefix, path, query };
}

/**
 * The address that the router sees, without the service's own path, which the router would decode
 * and might refuse.
 */
export function routedAddress(request: RequestAddress): string {
  const { url = '/', headers } = request;
  const service = parsePreviewHost(headers.host);
  // No route: the agent's own routes are not served at the host of a service.
  if (service && !url.startsWith('/')) return '/-';
  if (service) return `/workspaces/${service.workspaceId}/ports/${service.port}/-`;
  const address = parsePreviewAddress(request);
  return address ? `${address.prefix}/-` : url;
}
