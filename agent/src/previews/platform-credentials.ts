import { decodeJwt } from 'jose';

/** Cookies of the platform: previews of workspaces, and those of the control plane. */
const platformCookie =
  /^(?:(?:__Host-)?vm_session(?:_[0-9A-Z]{26}(?:_\d{1,5})?)?|__(?:Host|Secure)-berth_[\w-]*)$/i;

export function isPlatformCookie(name: string): boolean {
  return platformCookie.test(name.trim());
}

/** The service's own cookies; null when there are none. */
export function withoutPlatformCookies(header: string): string | null {
  const kept = header
    .split(';')
    .filter((pair) => pair.trim() && !isPlatformCookie(pair.split('=', 1)[0] ?? ''));
  return kept.length === 0 ? null : kept.join(';').trim();
}

/**
 * Distinguishes tokens of the control plane from tokens of a service with the same names. Verifies
 * nothing.
 */
export class PlatformCredentials {
  constructor(private readonly issuer: string) {}

  /** The bearer token, when the control plane issued it. */
  bearer(header: string | undefined): string | null {
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
    return token !== undefined && this.isOwn(token) ? token : null;
  }

  /** The first control-plane token among the `token` parameters. */
  inQuery(query: string): string | null {
    return new URLSearchParams(query).getAll('token').find((token) => this.isOwn(token)) ?? null;
  }

  /** The query without control-plane tokens, otherwise unchanged. */
  withoutToken(query: string): string {
    if (this.inQuery(query) === null) return query;
    const kept = query
      .slice(1)
      .split('&')
      .filter((part) => this.inQuery(part) === null);
    return kept.length === 0 ? '' : `?${kept.join('&')}`;
  }

  private isOwn(token: string): boolean {
    try {
      return decodeJwt(token).iss === this.issuer;
    } catch {
      return false;
    }
  }
}
