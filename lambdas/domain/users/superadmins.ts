import type { Role } from '../sessions/session.js';
import type { User } from './user.js';

/** Numeric account ids on the code host. A login can pass to another account; an id cannot. */
export type Superadmins = ReadonlySet<string>;

/**
 * From the operator's setting, a comma-separated list. Entries that are not numeric ids name
 * nobody.
 */
export const readSuperadmins = (setting: string): Superadmins =>
  new Set(
    setting
      .split(',')
      .map((id) => id.trim())
      .filter((id) => /^[1-9][0-9]*$/.test(id)),
  );

/**
 * The role that a person has now: exactly the people whom the setting names are superadmins,
 * whatever was stored of them. A person whom the setting no longer names is a user again from the
 * deployment on that says so.
 */
export function roleOf(superadmins: Superadmins, { githubId, role }: Pick<User, 'githubId' | 'role'>): Role {
  if (superadmins.has(githubId)) return 'superadmin';
  return role === 'admin' ? 'admin' : 'user';
}
