import { createHash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { readEnv } from '../shared/env.js';

const env = readEnv({
  /** The values that CloudFront may send, comma separated: two while the secret is rotated. */
  ORIGIN_SECRETS: z
    .string()
    .check(z.regex(/^\w{32,}(?:,\w{32,})*$/, 'must be values of 32 characters or more')),
});

// Digests have one length, as the comparison needs.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const accepted = env.ORIGIN_SECRETS.split(',').map(digest);

/** Whether a request carries the secret that CloudFront adds; compared in constant time. */
export function cameThroughCloudFront(secret: string | undefined): boolean {
  if (!secret) return false;
  const given = digest(secret);
  return accepted.filter((each) => timingSafeEqual(each, given)).length > 0;
}
