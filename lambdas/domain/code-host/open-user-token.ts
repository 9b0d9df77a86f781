import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import type { CodeHost } from './code-host.js';
import { CodeHostAccessLost } from './errors.js';
import { Grant, grantContext, grantItem, grantKey, UserTokens } from './grant.js';
import { type GrantedTokens, refreshTokens } from './oauth.js';

export interface UserTokenSource {
  readonly table: Table;
  readonly secrets: SecretBox;
  readonly codeHost: CodeHost;
}

/** Renewed this long before its end, so that it outlives the request it is opened for. */
const renewalMarginSeconds = 5 * 60;

/**
 * The user's own token on the code host, renewed when it is about to end. No table call while it lives; a renewal
 * writes once, on condition that nobody else has renewed it meanwhile.
 *
 * @throws {CodeHostAccessLost} there is none, or it cannot be renewed: the person must sign in again
 */
export async function openUserToken(
  source: UserTokenSource,
  { grant, now }: { readonly grant: Grant | undefined; readonly now: Date },
): Promise<string> {
  if (!grant) throw new CodeHostAccessLost();
  const tokens = await openTokens(source.secrets, grant);
  const seconds = now.getTime() / 1000;
  if (grant.tokenExpiresAt === null || grant.tokenExpiresAt - renewalMarginSeconds > seconds) {
    return tokens.accessToken;
  }
  if (!tokens.refreshToken) throw new CodeHostAccessLost();
  return renew(source, { grant, refreshToken: tokens.refreshToken, now });
}

/** Seals what the code host granted, as the grant's next version. */
export async function sealGrant(
  secrets: SecretBox,
  owner: { readonly userId: string; readonly version: number; readonly now: Date },
  { accessToken, refreshToken, expiresIn }: GrantedTokens,
): Promise<Grant> {
  const { userId, version, now } = owner;
  const text = JSON.stringify({ accessToken, refreshToken } satisfies UserTokens);
  return {
    userId,
    version,
    tokens: await secrets.seal(text, grantContext(userId)),
    tokenExpiresAt: expiresIn === null ? null : Math.floor(now.getTime() / 1000) + expiresIn,
  };
}

async function openTokens(secrets: SecretBox, grant: Grant): Promise<UserTokens> {
  return UserTokens.parse(JSON.parse(await secrets.open(grant.tokens, grantContext(grant.userId))));
}

async function renew(
  source: UserTokenSource,
  { grant, refreshToken, now }: { readonly grant: Grant; readonly refreshToken: string; readonly now: Date },
): Promise<string> {
  let renewed: GrantedTokens;
  try {
    renewed = await refreshTokens(source.codeHost, refreshToken);
  } catch (error) {
    // A refresh token works once: when somebody else has used this one, theirs is stored or about to be.
    if (error instanceof CodeHostAccessLost) return renewedByOther(source, grant, error);
    throw error;
  }
  const owner = { userId: grant.userId, version: grant.version + 1, now };
  return keep(source, await sealGrant(source.secrets, owner, renewed), renewed.accessToken);
}

async function keep({ table }: UserTokenSource, grant: Grant, accessToken: string): Promise<string> {
  try {
    await table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: grantItem(grant),
        ConditionExpression: '#version = :previous',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':previous': grant.version - 1 },
      }),
    );
  } catch (error) {
    // A sign-in has stored newer tokens meanwhile; those stay, and ours serves this one request.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
  return accessToken;
}

async function renewedByOther({ table, secrets }: UserTokenSource, old: Grant, lost: Error): Promise<string> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: grantKey(old.userId), ConsistentRead: true }),
  );
  const grant = Item && Grant.parse(Item);
  if (!grant || grant.version <= old.version) throw lost;
  return (await openTokens(secrets, grant)).accessToken;
}
