import { decodeJwt } from 'jose';

/** Cookies of the platform: previews of a workspace, and whatever the control plane sets. */
const platformCookie = /^(?:(?:__Host-)?vm_session(?:_[0-9A-Z]{26})?|__(?:Host|Secure)-berth_[\w-]*)$/i;

export function isPlatformCookie(name: string): boolean {
  return platformCookie.test(name.trim());
}

/** The cookies that are the service's; null when none are left. */
export function withoutPlatformCookies(header: string): string | null {
  const kept = header
    .split(';')
    .filter((pair) => pair.trim() && !isPlatformCookie(pair.split('=', 1)[0] ?? ''));
  return kept.length === 0 ? null : kept.join(';').trim();
}

/**
 * Tells tokens of the control plane from those of a service, which may have tokens of its own under the same names.
 * Nothing is verified here.
 */
export class OwnCredentials {
  constructor(private readonly issuer: string) {}

  /** The token of an Authorization header, when it is one of the control plane's. */
  bearer(header: string | undefined): string | null {
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
    return token !== undefined && this.isOwn(token) ? token : null;
  }

  /** The first such token among the parameters named `token`. */
  inQuery(query: string): string | null {
    return new URLSearchParams(query).getAll('token').find((token) => this.isOwn(token)) ?? null;
  }

  /** The query without such tokens; the rest of it stays as it was written. */
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
