import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { findUser } from './find-user.js';
import { founderKey, Identity, identityKey, type User } from './user.js';

export interface Acquaintance {
  /** The user this account belongs to, if it has signed in before. */
  readonly user: User | undefined;
  /** Whether anybody has ever signed in. */
  readonly hasFounder: boolean;
}

/** Who an account of the code host is to us. One table call for a newcomer, two for others. */
export async function findByProfile(table: Table, githubId: string): Promise<Acquaintance> {
  const { Responses, UnprocessedKeys } = await table.client.send(
    new BatchGetCommand({
      RequestItems: { [table.name]: { Keys: [identityKey(githubId), founderKey], ConsistentRead: true } },
    }),
  );
  // Taking an unread identity for an absent one would begin a second account.
  if (Object.keys(UnprocessedKeys ?? {}).length > 0) throw new Unavailable('The table is busy; try again');

  const items = Responses?.[table.name] ?? [];
  const identity = items.find(({ sk }) => sk === 'IDENTITY');
  return {
    user: identity && (await findUser(table, Identity.parse(identity).userId)),
    hasFounder: items.some(({ sk }) => sk === founderKey.sk),
  };
}
