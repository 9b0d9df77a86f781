import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { Role } from '../sessions/session.js';

export const User = z.object({
  userId: Ulid,
  role: Role,
  /** A suspended user cannot sign in. */
  status: z.enum(['active', 'pending', 'suspended']),
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

export const userItem = (user: User) => ({
  ...userKey(user.userId),
  entity: 'user',
  schemaVersion: 1,
  ...user,
});

/** Which user an account on the code host belongs to; there is one for each, which makes it unique. */
export const Identity = z.object({ userId: Ulid });
export const identityKey = (githubId: string) => ({ pk: `IDENTITY#github#${githubId}`, sk: 'IDENTITY' });
export const identityItem = (githubId: string, userId: string) => ({
  ...identityKey(githubId),
  entity: 'identity',
  schemaVersion: 1,
  userId,
});

/** Exists once the first user does: nobody else is the first. */
export const founderKey = { pk: 'FOUNDER', sk: 'FOUNDER' };
export const founderItem = (userId: string) => ({
  ...founderKey,
  entity: 'founder',
  schemaVersion: 1,
  userId,
});
