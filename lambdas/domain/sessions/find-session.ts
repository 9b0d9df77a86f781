import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { hashSessionSecret, Session, sessionKey, userOfSecret } from './session.js';

/** The session that this cookie value opens, or nothing: unknown, ended or expired. One table call. */
export async function findSession(
  table: Table,
  { secret, now }: { readonly secret: string; readonly now: Date },
): Promise<Session | undefined> {
  if (!userOfSecret(secret)) return undefined;
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: sessionKey(hashSessionSecret(secret)),
      // A sign-out must hold for the very next request.
      ConsistentRead: true,
    }),
  );
  return liveSession(Item, now);
}

/** The table's TTL removes expired rows only some time later. */
export function liveSession(item: Record<string, unknown> | undefined, now: Date): Session | undefined {
  if (!item) return undefined;
  const session = Session.parse(item);
  return session.expiresAt > now.getTime() / 1000 ? session : undefined;
}
