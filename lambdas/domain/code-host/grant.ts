import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Table } from '../../shared/table.js';
import { SealedSecret, type SecretContext } from '../secrets/sealed-secret.js';
import { Installation, installationPrefix } from './installation.js';

/** What a person has granted our application on the code host: their tokens, sealed. */
export const Grant = z.object({
  userId: Ulid,
  tokens: SealedSecret,
  /** Grows with every renewal, so that of two renewals one is kept. */
  version: z.int(),
  /** Epoch seconds; null for a token that does not expire. */
  tokenExpiresAt: z.nullable(z.int()),
});
export type Grant = z.infer<typeof Grant>;

/** The sealed text. */
export const UserTokens = z.object({ accessToken: z.string(), refreshToken: z.nullable(z.string()) });
export type UserTokens = z.infer<typeof UserTokens>;

export const grantKey = (userId: string) => ({ pk: `USER#${userId}`, sk: 'CODEHOST' });

export const grantItem = (grant: Grant) => ({
  ...grantKey(grant.userId),
  entity: 'codehost-grant',
  schemaVersion: 1,
  ...grant,
});

export const grantContext = (userId: string): SecretContext => ({ owner: userId, record: 'codehost' });

/** What we hold of a user's account on the code host. */
interface CodeHostAccount {
  /** Absent before the first sign-in is complete. */
  readonly grant: Grant | undefined;
  readonly installations: readonly Installation[];
}

/** One table call: grant and installations lie side by side. */
export async function loadAccount(table: Table, userId: string): Promise<CodeHostAccount> {
  const { pk, sk } = grantKey(userId);
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :grant AND :lastInstallation',
      ExpressionAttributeValues: { ':pk': pk, ':grant': sk, ':lastInstallation': `${installationPrefix}~` },
      ConsistentRead: true,
    }),
  );
  const grant = Items.find((item) => item.sk === sk);
  return {
    grant: grant && Grant.parse(grant),
    installations: Items.filter((item) => String(item.sk).startsWith(installationPrefix)).map((item) =>
      Installation.parse(item),
    ),
  };
}
