import { createHmac, randomUUID } from 'node:crypto';
import {
  CreateSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect, it, vi } from 'vitest';
import { functionEnv } from '../../support/function-env.js';
import { loadRoute } from '../../support/invoke.js';

it('refuses every webhook until the stored secret has 16 characters', async () => {
  const client = new SecretsManagerClient({});
  const short = 's'.repeat(15);
  const { ARN: SecretId } = await client.send(
    new CreateSecretCommand({
      Name: `webhook-${randomUUID()}`,
      SecretString: JSON.stringify({ current: short, previous: 'p'.repeat(40) }),
    }),
  );
  Object.assign(process.env, functionEnv, { CODE_HOST_WEBHOOK_SECRET_ARN: SecretId });
  const load = () => loadRoute('codehost/webhook');
  const webhook = await load();
  const ping = (secret: string) => {
    const body = JSON.stringify({ zen: 'Mend the gate' });
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const own = { 'x-hub-signature-256': signature, 'x-github-delivery': randomUUID() };
    return { body, headers: { 'x-github-event': 'ping', ...own } };
  };

  for (const secret of [short, 'p'.repeat(40)])
    expect(await webhook(ping(secret))).toMatchObject({
      status: 503,
      body: { error: 'WEBHOOK_SECRET_UNUSABLE' },
    });

  const long = 'l'.repeat(16);
  await client.send(
    new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify({ current: long, previous: '' }) }),
  );
  // A new function reads it at once; one that runs reads it again after 30 seconds.
  vi.resetModules();
  expect(await (await load())(ping(long))).toMatchObject({ status: 202, body: { outcome: 'pong' } });
});
