import * as z from 'zod/mini';
import { type CodeHost, CodeHostApp } from '../domain/code-host/code-host.js';
import { readSecret } from '../shared/clients/secrets.js';
import { readEnv } from '../shared/env.js';
import { parseJsonSecret } from '../shared/json-secret.js';
import { RotatingSecret } from '../shared/rotating-secret.js';

const env = readEnv({
  CODE_HOST_SECRET_ARN: z.string(),
  CODE_HOST_URL: z._default(z.url(), 'https://github.com'),
  CODE_HOST_API_URL: z._default(z.url(), 'https://api.github.com'),
  CODE_HOST_APP_SLUG: z._default(z.string(), ''),
});

const secret = new RotatingSecret(async () =>
  parseJsonSecret(
    CodeHostApp,
    'The secret of the code-host application',
    await readSecret(env.CODE_HOST_SECRET_ARN),
  ),
);

/** The code host of this deployment. */
export const codeHost: CodeHost = {
  webUrl: env.CODE_HOST_URL.replace(/\/$/, ''),
  apiUrl: env.CODE_HOST_API_URL.replace(/\/$/, ''),
  appSlug: env.CODE_HOST_APP_SLUG,
  app: () => secret.get(),
  appAfterRefusal: () => secret.afterRefusal(),
};
