/** The address of a request that is meant for a service of a workspace, as it came: nothing is decoded. */
export interface PreviewAddress {
  readonly kind: 'ports' | 'local-forward';
  /** What comes before the service's own path. */
  readonly prefix: string;
  /** The service's own path; empty when the address ends with the port. */
  readonly path: string;
  /** With its question mark; empty without. */
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
 * What the router sees instead: the service's own path is no business of the router, which would decode it and refuse
 * what it cannot decode.
 */
export function routedAddress(url: string): string {
  const address = parsePreviewAddress(url);
  return address ? `${address.prefix}/-` : url;
}
