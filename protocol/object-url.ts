import * as z from 'zod/mini';

/** Where an object goes to, or comes from; its query may be a secret. */
export const ObjectUrl = z
  .string()
  .check(z.maxLength(8_192), z.refine(isObjectUrl, 'must be https, or http on loopback'));

function isObjectUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/.test(text);
}
