import { setTimeout } from 'node:timers/promises';
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

interface TokenRequest {
  readonly grant: Grant | undefined;
  readonly now: Date;
}

interface BorrowedToken {
  readonly accessToken: string;
  /** A renewed grant that is not stored yet. */
  readonly renewed?: Grant;
}

/**
 * The user's own token on the code host, renewed when it is about to end. No table call while it
 * lives; a renewal writes once, on condition that nobody else has renewed it.
 *
 * @throws {CodeHostAccessLost} there is none, or it cannot be renewed: the person must sign in
 * again
 */
export async function openUserToken(source: UserTokenSource, request: TokenRequest): Promise<string> {
  const { accessToken, renewed } = await borrowUserToken(source, request);
  if (renewed) await keepGrant(source.table, renewed);
  return accessToken;
}

/**
 * The same for a caller who writes anyway and stores a renewed grant with that. They must store it
 * whatever becomes of the request, with `keepGrant` if nothing else is written: the refresh token
 * in the table no longer works.
 *
 * @throws {CodeHostAccessLost}
 */
export async function borrowUserToken(
  source: UserTokenSource,
  { grant, now }: TokenRequest,
): Promise<BorrowedToken> {
  if (!grant) throw new CodeHostAccessLost();
  const tokens = await openTokens(source.secrets, grant);
  const seconds = now.getTime() / 1000;
  if (grant.tokenExpiresAt === null || grant.tokenExpiresAt - renewalMarginSeconds > seconds) {
    return { accessToken: tokens.accessToken };
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
): Promise<BorrowedToken> {
  let renewed: GrantedTokens;
  try {
    renewed = await refreshTokens(source.codeHost, refreshToken);
  } catch (error) {
    // A refresh token works once: when somebody else has used this one, theirs is stored or about
    // to be.
    if (error instanceof CodeHostAccessLost) {
      return { accessToken: await renewedByOther(source, grant, error) };
    }
    throw error;
  }
  const owner = { userId: grant.userId, version: grant.version + 1, now };
  const { accessToken } = renewed;
  return { accessToken, renewed: await sealGrant(source.secrets, owner, renewed) };
}

/** Stores a renewed grant. One table call. */
export async function keepGrant(table: Table, grant: Grant): Promise<void> {
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
    // A sign-in has stored newer tokens; those stay, and ours serves this one request.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/**
 * Whoever used the refresh token first stores what they got when their request is done with the
 * code host.
 */
const waitsMs = [0, 200, 400, 800] as const;

async function renewedByOther({ table, secrets }: UserTokenSource, old: Grant, lost: Error): Promise<string> {
  for (const waitMs of waitsMs) {
    await setTimeout(waitMs);
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: grantKey(old.userId), ConsistentRead: true }),
    );
    const grant = Item && Grant.parse(Item);
    if (!grant) break;
    if (grant.version > old.version) return (await openTokens(secrets, grant)).accessToken;
  }
  throw lost;
}
