import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { Role } from '../sessions/session.js';

export const User = z.object({
  userId: Ulid,
  role: Role,
  /** Only an active user can do anything; `isActive` is what every check of a person asks. */
  status: z.enum(['active', 'pending', 'suspended']),
  /**
   * A superadmin suspended them, or the sign-in policy does not admit them; the policy may admit
   * them again.
   */
  suspendedBy: z.optional(z.enum(['superadmin', 'policy'])),
  /** Sessions that began before have ended, whether their rows are gone or not. */
  sessionsEndedAt: z.optional(z.iso.datetime()),
  /**
   * Grows each time their sessions or rights end; names the saga that ends what is open. Absent: 0.
   */
  accessVersion: z.optional(z.int()),
  /** When the sign-in policy has to be checked for them again. */
  accessCheckAt: z.optional(z.iso.datetime()),
  /** Their id and name on the code host. */
  githubId: z.string(),
  login: z.string(),
  name: z.string(),
  email: z.nullable(z.string()),
  avatarUrl: z.nullable(z.string()),
  /** How many projects they own; bounded by the limit. */
  projectCount: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type User = z.infer<typeof User>;

export const userKey = (userId: string) => ({ pk: `USER#${userId}`, sk: 'USER' });

/** The list of all users. */
export const allUsers = 'USERS';

/** Users in the order in which the sign-in policy has to be checked for them. */
export const accessChecks = 'ACCESSCHECKS';
const accessCheckHours = 12;

export const nextAccessCheck = (now: Date, hours: number = accessCheckHours): string =>
  new Date(now.getTime() + hours * 60 * 60_000).toISOString();

export const accessCheckSk = (user: Pick<User, 'userId' | 'accessCheckAt' | 'createdAt'>): string =>
  `${user.accessCheckAt ?? user.createdAt}#${user.userId}`;

export const userItem = (user: User) => ({
  ...userKey(user.userId),
  entity: 'user',
  schemaVersion: 1,
  ownerPk: allUsers,
  ownerSk: user.userId,
  parentPk: accessChecks,
  parentSk: accessCheckSk(user),
  ...user,
});

type Item = Readonly<Record<string, unknown>>;

/** Whether a person, by their item in the table, may do anything now. */
export const isActive = (item: Item | undefined): boolean => item?.status === 'active';

/** Requests for a suspended person are refused. Users are never deleted. */
export const isSuspended = (item: Item | undefined): boolean => item !== undefined && !isActive(item);

/** Maps an account on the code host to its user; one item for each account keeps it unique. */
export const Identity = z.object({ userId: Ulid });
export const identityKey = (githubId: string) => ({ pk: `IDENTITY#github#${githubId}`, sk: 'IDENTITY' });
export const identityItem = (githubId: string, userId: string) => ({
  ...identityKey(githubId),
  entity: 'identity',
  schemaVersion: 1,
  userId,
});
