import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { hashSessionSecret, Session, sessionKey } from './session.js';

/** The session that this cookie value opens, or nothing: unknown, ended or expired. One table call. */
export async function findSession(
  table: Table,
  { secret, now }: { readonly secret: string; readonly now: Date },
): Promise<Session | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: sessionKey(hashSessionSecret(secret)),
      // A sign-out must hold for the very next request.
      ConsistentRead: true,
    }),
  );
  if (!Item) return undefined;
  const session = Session.parse(Item);
  // The table's TTL removes expired rows only some time later.
  return session.expiresAt > now.getTime() / 1000 ? session : undefined;
}
