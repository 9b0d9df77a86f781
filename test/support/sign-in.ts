import { randomBytes } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { hashSessionSecret, type Session, sessionItem } from '../../lambdas/domain/sessions/session.js';
import { newId } from '../../lambdas/shared/ids.js';
import type { Table } from '../../lambdas/shared/table.js';

export interface SignedIn {
  readonly userId: string;
  readonly sessionHash: string;
  /** The Cookie header's pair. */
  readonly cookie: string;
}

/** Opens a session as a sign-in would; `overrides` make it expired, another user's, and so on. */
export async function signIn(table: Table, overrides: Partial<Session> = {}): Promise<SignedIn> {
  const userId = overrides.userId ?? newId();
  const secret = `${userId}.${randomBytes(32).toString('base64url')}`;
  const session: Session = {
    sessionHash: hashSessionSecret(secret),
    userId,
    role: 'user',
    cursorKey: randomBytes(32).toString('base64url'),
    createdAt: new Date().toISOString(),
    expiresAt: Math.floor(Date.now() / 1000) + 3_600,
    ...overrides,
  };
  await table.client.send(new PutCommand({ TableName: table.name, Item: sessionItem(session) }));
  return {
    userId: session.userId,
    sessionHash: session.sessionHash,
    cookie: `__Host-berth_session=${secret}`,
  };
}
