import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { type CodeHost, CodeHostApp } from '../domain/code-host/code-host.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({
  CODE_HOST_SECRET_ARN: z.string(),
  CODE_HOST_URL: z._default(z.url(), 'https://github.com'),
  CODE_HOST_API_URL: z._default(z.url(), 'https://api.github.com'),
  CODE_HOST_APP_SLUG: z._default(z.string(), ''),
});

const secretsManager = new SecretsManagerClient({});
let app: Promise<CodeHostApp> | undefined;

async function readApp(): Promise<CodeHostApp> {
  const { SecretString } = await secretsManager.send(
    new GetSecretValueCommand({ SecretId: env.CODE_HOST_SECRET_ARN }),
  );
  return CodeHostApp.parse(JSON.parse(SecretString ?? ''));
}

/** The code host of this deployment. A container reads the secrets of the deployment's application once. */
export const codeHost: CodeHost = {
  webUrl: env.CODE_HOST_URL.replace(/\/$/, ''),
  apiUrl: env.CODE_HOST_API_URL.replace(/\/$/, ''),
  appSlug: env.CODE_HOST_APP_SLUG,
  app() {
    app ??= readApp().catch((error) => {
      // A failure is not remembered: the next request reads again.
      app = undefined;
      throw error;
    });
    return app;
  },
};
