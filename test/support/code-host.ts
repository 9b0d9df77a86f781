import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CodeHost } from '../../local/code-host/code-host.js';
import { freePort } from '../../local/processes/ports.js';

/** The laptop's code host, with its application's secret where functions look for it. */
export async function startCodeHost(): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-code-host-'));
  const publicUrl = process.env.PUBLIC_URL ?? '';
  const codeHost = new CodeHost({ folder, port: await freePort(), publicUrl });
  await codeHost.start();
  const { clientId, clientSecret, appId, privateKey } = codeHost.credentials;
  const { ARN } = await new SecretsManagerClient({}).send(
    new CreateSecretCommand({
      Name: `code-host-${randomUUID()}`,
      SecretString: JSON.stringify({ clientId, clientSecret, appId, privateKey }),
    }),
  );
  Object.assign(process.env, {
    CODE_HOST_SECRET_ARN: ARN,
    CODE_HOST_URL: codeHost.url,
    CODE_HOST_API_URL: codeHost.apiUrl,
    CODE_HOST_APP_SLUG: 'berth-laptop',
  });
  return {
    async [Symbol.asyncDispose]() {
      await codeHost[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
