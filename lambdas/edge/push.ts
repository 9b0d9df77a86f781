import * as z from 'zod/mini';
import { type ApplicationKey, applicationKeyOf } from '../domain/push/application-key.js';
import { readSecret } from '../shared/clients/secrets.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ PUSH_SECRET_ARN: z.string() });

let kept: Promise<ApplicationKey> | undefined;

/** The key of the grant `push:key`. A new one would end all subscriptions: it is read once. */
export function pushApplicationKey(): Promise<ApplicationKey> {
  kept ??= read();
  kept.catch(() => {
    kept = undefined;
  });
  return kept;
}

async function read(): Promise<ApplicationKey> {
  const secret = await readSecret(env.PUSH_SECRET_ARN);
  if (!secret) throw new Error('The secret of push messages is empty');
  return applicationKeyOf(secret);
}
