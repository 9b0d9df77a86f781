import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CodeHost } from '../../local/code-host/code-host.js';
import { people, superadmin } from '../../local/code-host/directory.js';
import { freePort } from '../../local/processes/ports.js';
import { superadminId } from './sign-in.js';

/**
 * The settings of the sign-in policy: the people of the code host may sign in, as on the laptop.
 */
export const laptopPolicy = {
  SUPERADMINS: `${superadmin.id},${superadminId}`,
  ALLOWED_LOGINS: people.map(({ id }) => id).join(),
};

export interface RunningCodeHost extends AsyncDisposable {
  /** Folder of its bare repositories. */
  readonly repositories: string;
}

async function putSecret(value: object): Promise<string | undefined> {
  const { ARN } = await new SecretsManagerClient({}).send(
    new CreateSecretCommand({ Name: `code-host-${randomUUID()}`, SecretString: JSON.stringify(value) }),
  );
  return ARN;
}

/** The laptop's code host, with its application's secret where functions look for it. */
export async function startCodeHost(): Promise<RunningCodeHost> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-code-host-'));
  const publicUrl = process.env.PUBLIC_URL ?? '';
  const codeHost = new CodeHost({ folder, port: await freePort(), publicUrl });
  await codeHost.start();
  const { clientId, clientSecret, appId, privateKey, webhookSecret } = codeHost.credentials;
  const app = await putSecret({ clientId, clientSecret, appId, privateKey });
  const webhook = await putSecret({ current: webhookSecret, previous: '' });
  Object.assign(process.env, {
    CODE_HOST_SECRET_ARN: app,
    CODE_HOST_WEBHOOK_SECRET_ARN: webhook,
    CODE_HOST_URL: codeHost.url,
    CODE_HOST_API_URL: codeHost.apiUrl,
    CODE_HOST_APP_SLUG: 'berth-laptop',
    ...laptopPolicy,
  });
  return {
    repositories: codeHost.repositories,
    async [Symbol.asyncDispose]() {
      await codeHost[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
