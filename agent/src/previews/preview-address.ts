/** The address of a request for a service of a workspace, not decoded. */
export interface PreviewAddress {
  readonly kind: 'ports' | 'local-forward';
  /** The part before the service's own path. */
  readonly prefix: string;
  /** The service's own path; empty when the address ends with the port. */
  readonly path: string;
  /** With its question mark; empty without a query. */
  readonly query: string;
}

const pattern = /^(\/workspaces\/[^/?]+\/(ports|local-forward)\/[^/?]+)(\/[^?]*)?(\?.*)?$/s;

/** Null for every other address. */
export function parsePreviewAddress(url: string): PreviewAddress | null {
  const [, prefix, kind, path = '', query = ''] = pattern.exec(url) ?? [];
  if (prefix === undefined) return null;
  return { kind: kind === 'ports' ? 'ports' : 'local-forward', prefix, path, query };
}

/**
 * The address that the router sees, without the service's own path, which the router would decode
 * and might refuse.
 */
export function routedAddress(url: string): string {
  const address = parsePreviewAddress(url);
  return address ? `${address.prefix}/-` : url;
}
