import type { Role } from '../sessions/session.js';
import type { User } from './user.js';

/** Logins on the code host, lower case. Empty: whoever signs in first. */
export type Superadmins = ReadonlySet<string>;

/** From the operator's setting, a comma-separated list. */
export const readSuperadmins = (setting: string): Superadmins =>
  new Set(
    setting
      .split(',')
      .map((login) => login.trim().toLowerCase())
      .filter((login) => login !== ''),
  );

export interface Candidate {
  readonly login: string;
  readonly known: Pick<User, 'role'> | undefined;
  /** Whether anybody has ever signed in. */
  readonly hasFounder: boolean;
}

/**
 * The role that a person has from this sign-in on. Where the operator names superadmins, exactly those are; who was
 * one and is named no more is a user again. Where nobody is named, the first to sign in is.
 */
export function roleAtSignIn(superadmins: Superadmins, { login, known, hasFounder }: Candidate): Role {
  if (superadmins.size === 0) return known?.role ?? (hasFounder ? 'user' : 'superadmin');
  if (superadmins.has(login.toLowerCase())) return 'superadmin';
  return known?.role === 'admin' ? 'admin' : 'user';
}
