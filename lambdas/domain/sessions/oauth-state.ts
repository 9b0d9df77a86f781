import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { InvalidRequest } from '../../shared/errors.js';
import { hashText } from '../../shared/hash-text.js';
import type { Table } from '../../shared/table.js';

export const oauthStateLifetimeSeconds = 10 * 60;

/** A sign-in under way: what must come back from the code host, to the browser that began it. */
const OauthState = z.object({
  codeVerifier: z.string(),
  /** Hash of the cookie of the browser that began it. */
  browserHash: z.string(),
  callbackPath: z.string(),
  /** Epoch seconds. */
  expiresAt: z.int(),
});
type OauthState = z.infer<typeof OauthState>;

const stateKey = (state: string) => ({ pk: `OAUTH#${hashText(state)}`, sk: 'OAUTH' });

interface BegunSignIn {
  readonly state: string;
  readonly browser: string;
  readonly codeVerifier: string;
  readonly callbackPath: string;
}

export async function putOauthState(table: Table, begun: BegunSignIn, now: Date): Promise<void> {
  const { state, browser, codeVerifier, callbackPath } = begun;
  const record: OauthState = {
    codeVerifier,
    callbackPath,
    browserHash: hashText(browser),
    expiresAt: Math.floor(now.getTime() / 1000) + oauthStateLifetimeSeconds,
  };
  await table.client.send(
    new PutCommand({
      TableName: table.name,
      Item: { ...stateKey(state), entity: 'oauth-state', schemaVersion: 1, ...record },
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  );
}

/**
 * Takes the state of a callback out of the table: it works once, within its time, and only for the
 * browser that began the sign-in. A state presented by another browser stays for its own.
 *
 * @throws {InvalidRequest} it does not
 */
export async function takeOauthState(
  table: Table,
  presented: { readonly state: string; readonly browser: string; readonly now: Date },
): Promise<Pick<OauthState, 'codeVerifier' | 'callbackPath'>> {
  const { state, browser, now } = presented;
  try {
    const { Attributes } = await table.client.send(
      new DeleteCommand({
        TableName: table.name,
        Key: stateKey(state),
        ConditionExpression: 'browserHash = :browserHash AND expiresAt > :now',
        ExpressionAttributeValues: { ':browserHash': hashText(browser), ':now': now.getTime() / 1000 },
        ReturnValues: 'ALL_OLD',
      }),
    );
    return OauthState.parse(Attributes);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new InvalidRequest(
      'This sign-in was not begun in this browser, or has expired',
      [],
      'STATE_MISMATCH',
    );
  }
}
