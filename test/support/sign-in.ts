import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import {
  hashSessionSecret,
  type Role,
  type Session,
  sessionItem,
} from '../../lambdas/domain/sessions/session.js';
import { userItem } from '../../lambdas/domain/users/user.js';
import { newId } from '../../lambdas/shared/ids.js';
import type { Table } from '../../lambdas/shared/table.js';

export interface SignedIn {
  readonly userId: string;
  readonly sessionHash: string;
  /** The Cookie header's pair. */
  readonly cookie: string;
}

/** The id of an account that tests name as superadmin in `SUPERADMINS`. */
export const superadminId = '9001';

/**
 * Opens a session as a sign-in would, of a user who is made with it where there is none;
 * `overrides` make it expired, another user's, and so on. A superadmin is one only to functions
 * with `superadminId` in their setting.
 */
export async function signIn(
  table: Table,
  { role, ...overrides }: Partial<Session> & { readonly role?: Role } = {},
): Promise<SignedIn> {
  const userId = overrides.userId ?? newId();
  const secret = `${userId}.${randomBytes(32).toString('base64url')}`;
  const session: Session = {
    sessionHash: hashSessionSecret(secret),
    userId,
    cursorKey: randomBytes(32).toString('base64url'),
    createdAt: new Date().toISOString(),
    expiresAt: Math.floor(Date.now() / 1000) + 3_600,
    ...overrides,
  };
  await table.client.send(new PutCommand({ TableName: table.name, Item: sessionItem(session) }));
  await putUser(table, session, role);
  return {
    userId: session.userId,
    sessionHash: session.sessionHash,
    cookie: `__Host-berth_session=${secret}`,
  };
}

async function putUser(table: Table, { userId, createdAt }: Session, role: Role = 'user'): Promise<void> {
  const user = userItem({
    userId,
    role,
    status: 'active',
    githubId: role === 'superadmin' ? superadminId : userId,
    ...{ login: 'octo', name: 'Octo Cat', email: null, avatarUrl: null },
    ...{ projectCount: 0, createdAt, updatedAt: createdAt },
  });
  const put = { TableName: table.name, Item: user, ConditionExpression: 'attribute_not_exists(pk)' };
  await table.client.send(new PutCommand(put)).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
