import { Conflict, NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { endAccess } from './end-access.js';
import { superadminBySetting } from './errors.js';
import { findUser } from './find-user.js';
import type { Superadmins } from './superadmins.js';
import { User, userKey } from './user.js';

interface UserChange {
  readonly userId: string;
  readonly change: {
    readonly status?: 'active' | 'suspended' | undefined;
    readonly role?: 'admin' | 'user' | undefined;
  };
  readonly superadmins: Superadmins;
  readonly now: Date;
}

/**
 * Changes status or role of somebody who is no superadmin. Whatever takes something from them ends
 * all their sessions. A repeat changes nothing. Two table calls.
 *
 * @throws {NotFound | superadminBySetting}
 * @throws {Conflict} somebody else has changed them at this moment
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one decision about role and status, with an error for each refusal
export async function changeUser(
  table: Table,
  { userId, change, superadmins, now }: UserChange,
): Promise<User> {
  const seen = await findUser(table, userId);
  if (!seen) throw new NotFound('User');
  if (superadmins.has(seen.githubId)) throw superadminBySetting();
  const { role, status } = seen;
  const wanted = { role: change.role ?? role, status: change.status ?? status };
  // Suspended by the policy, they could sign in again as soon as that admits them.
  const isTakenOver = change.status === 'suspended' && seen.suspendedBy !== 'superadmin';
  if (wanted.role === role && wanted.status === status && !isTakenOver) return seen;
  const changed =
    wanted.role === role && wanted.status === 'active'
      ? await reactivate(table, seen, now)
      : await endAccess(table, {
          userId,
          change: { ...wanted, ...(wanted.status === 'suspended' ? { suspendedBy: 'superadmin' } : {}) },
          when: { role, status },
          now,
        });
  if (!changed) throw new Conflict('The user was changed at this moment. Read them again.');
  return changed;
}

async function reactivate(
  table: Table,
  { userId, role, status }: User,
  now: Date,
): Promise<User | undefined> {
  const outcome = await changeItem(table, {
    key: userKey(userId),
    set: { status: 'active', updatedAt: now.toISOString() },
    remove: ['suspendedBy'],
    when: { equals: { role, status } },
  });
  return outcome.changed ? User.parse(outcome.item) : undefined;
}
