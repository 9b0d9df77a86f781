import { createServer, type Server } from 'node:http';
import { KMSClient } from '@aws-sdk/client-kms';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CodeHost, CodeHostApp } from '../../../lambdas/domain/code-host/code-host.js';
import { type Grant, grantItem, loadAccount } from '../../../lambdas/domain/code-host/grant.js';
import { openUserToken, sealGrant } from '../../../lambdas/domain/code-host/open-user-token.js';
import { Envelope } from '../../../lambdas/domain/secrets/envelope.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { KmsDataKeys } from '../../../lambdas/shared/kms-data-keys.js';
import { RotatingSecret } from '../../../lambdas/shared/rotating-secret.js';
import { sharedTable } from '../../support/table.js';

const table = sharedTable();
const secrets = new Envelope(new KmsDataKeys(new KMSClient({}), process.env.DATA_KEY_ARN ?? ''));
const now = new Date('2026-11-21T10:00:00Z');

let server: Server;
let codeHost: CodeHost;
/** The one refresh token that the host takes; it works once, as a code host's do. */
let goodRefreshToken: string;
let status: number;
/** What the code host takes, what the operator stored, and the clock of the function. */
let clientSecret: string;
let stored: string;
let clock: number;
let secret: RotatingSecret<CodeHostApp>;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const fields = new URLSearchParams(body);
      const isApplication = fields.get('client_secret') === clientSecret;
      const isGood = isApplication && fields.get('refresh_token') === goodRefreshToken;
      if (isGood) goodRefreshToken = 'used';
      response.writeHead(status, { 'content-type': 'application/json' });
      const granted = {
        access_token: 'renewed',
        refresh_token: 'next',
        expires_in: 28_800,
        token_type: 'bearer',
      };
      response.end(JSON.stringify(isGood ? granted : { error: 'bad_refresh_token' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  codeHost = {
    webUrl: `http://127.0.0.1:${port}`,
    apiUrl: `http://127.0.0.1:${port}`,
    appSlug: 'berth',
    app: () => secret.get(),
    appAfterRefusal: () => secret.afterRefusal(),
  };
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

beforeEach(() => {
  goodRefreshToken = 'refresh';
  status = 200;
  clientSecret = 'secret';
  stored = 'secret';
  clock = now.getTime();
  const read = async () => ({ clientId: 'id', clientSecret: stored, appId: '1', privateKey: '' });
  secret = new RotatingSecret(read, () => clock);
});

async function storedGrant(
  expiresIn: number | null,
  refreshToken: string | null = 'refresh',
): Promise<Grant> {
  const tokens = { accessToken: 'access', refreshToken, expiresIn };
  const grant = await sealGrant(secrets, { userId: newId(), version: 1, now }, tokens);
  await table.client.send(new PutCommand({ TableName: table.name, Item: grantItem(grant) }));
  return grant;
}

const open = (grant: Grant | undefined) => openUserToken({ table, secrets, codeHost }, { grant, now });

describe('a user’s token on the code host', () => {
  it('is sealed in the table and opens for its user only', async () => {
    const grant = await storedGrant(null);

    expect(JSON.stringify(grant)).not.toContain('access"');
    expect(await open(grant)).toBe('access');
    await expect(open({ ...grant, userId: newId() })).rejects.toThrow();
  });

  it('is not renewed before its time', async () => {
    expect(await open(await storedGrant(3_600))).toBe('access');
    expect(goodRefreshToken).toBe('refresh');
  });

  it('is renewed shortly before it ends, and stored as the next version', async () => {
    const grant = await storedGrant(60);

    expect(await open(grant)).toBe('renewed');

    const { grant: stored } = await loadAccount(table, grant.userId);
    expect(stored).toMatchObject({ version: 2, tokenExpiresAt: now.getTime() / 1000 + 28_800 });
    expect(await open(stored)).toBe('renewed');
  });

  it('is taken from whoever renewed it first', async () => {
    const grant = await storedGrant(60);
    await open(grant);

    expect(await open(grant)).toBe('renewed');
  });

  it("is renewed with the application's new secret once the code host refuses the old one", async () => {
    await secret.get();
    clientSecret = 'replaced';
    stored = 'replaced';
    await expect(open(await storedGrant(60))).rejects.toMatchObject({ code: 'CODE_HOST_ACCESS_LOST' });

    clock += 30_000;

    expect(await open(await storedGrant(60))).toBe('renewed');
  });

  it.each([
    ['there is no grant', async () => undefined],
    ['it ended and cannot be renewed', () => storedGrant(-1, null)],
    ['the code host refuses to renew it', () => storedGrant(-1, 'revoked')],
  ])('asks to sign in again when %s', async (_when, grant) => {
    await expect(open(await grant())).rejects.toMatchObject({ code: 'CODE_HOST_ACCESS_LOST' });
  });

  it('is unavailable, not lost, while the code host fails', async () => {
    status = 502;

    await expect(open(await storedGrant(-1))).rejects.toMatchObject({ code: 'CODE_HOST_UNAVAILABLE' });
  });
});
