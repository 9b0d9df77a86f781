import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';

/** A shorter secret was not set, or can be guessed. */
const Secret = z.string().check(z.minLength(16));

/**
 * As stored in Secrets Manager. `previous` is accepted as well while the secret is replaced, and
 * empty otherwise.
 */
export const WebhookSecrets = z.object({
  current: Secret,
  previous: z._default(z.union([Secret, z.literal('')]), ''),
});
export type WebhookSecrets = z.infer<typeof WebhookSecrets>;

const Signature = /^sha256=([0-9a-f]{64})$/;

/**
 * Whether the header `X-Hub-Signature-256` signs exactly these bytes with one of the secrets. It
 * compares with each in constant time.
 */
export function isSigned(
  body: Uint8Array,
  header: string | undefined,
  { current, previous }: WebhookSecrets,
): boolean {
  const [, hex] = Signature.exec(header ?? '') ?? [];
  if (hex === undefined) return false;
  const given = Buffer.from(hex, 'hex');
  return [current, previous]
    .filter((secret) => secret !== '')
    .map((secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given))
    .includes(true);
}
