import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { SealedSecret, type SecretContext } from '../secrets/sealed-secret.js';

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
