import { decodeJwt } from 'jose';

/** Issue and expiry of a token in milliseconds, unverified: use only to schedule renewals. */
export function jwtTimes(token: string): { readonly issuedAt: number; readonly expiresAt: number } | null {
  try {
    const { iat, exp } = decodeJwt(token);
    return iat === undefined || exp === undefined ? null : { issuedAt: iat * 1_000, expiresAt: exp * 1_000 };
  } catch {
    return null;
  }
}
