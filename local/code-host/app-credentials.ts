import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { application } from './directory.js';

/**
 * What Berth's own secret holds about its application on the code host; made once for a state
 * folder.
 */
export const AppCredentials = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  appId: z.string(),
  privateKey: z.string(),
  publicKey: z.string(),
  /** Signs webhooks. */
  webhookSecret: z.string(),
});
export type AppCredentials = z.infer<typeof AppCredentials>;

export function openAppCredentials(file: string): AppCredentials {
  if (existsSync(file)) return withWebhookSecret(file, JSON.parse(readFileSync(file, 'utf8')));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const credentials = {
    clientId: application.clientId,
    clientSecret: randomBytes(20).toString('hex'),
    appId: String(application.id),
    privateKey,
    publicKey,
    webhookSecret: newSecret(),
  };
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
  return credentials;
}

const newSecret = () => randomBytes(24).toString('hex');

/** State that an older Berth wrote has none. */
function withWebhookSecret(file: string, stored: object): AppCredentials {
  if ('webhookSecret' in stored) return AppCredentials.parse(stored);
  const credentials = AppCredentials.parse({ ...stored, webhookSecret: newSecret() });
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
  return credentials;
}
