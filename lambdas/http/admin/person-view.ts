import { roleOf } from '../../domain/users/superadmins.js';
import type { User } from '../../domain/users/user.js';
import { superadmins } from '../../edge/require-session.js';

/** What superadmins see of a person. */
export const personView = (user: User) => ({
  ...user,
  id: user.userId,
  role: roleOf(superadmins, user),
  suspendedBy: user.suspendedBy ?? null,
});
