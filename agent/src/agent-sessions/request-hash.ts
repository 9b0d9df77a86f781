import { createHash } from 'node:crypto';

/** Tells one request from another without keeping its text. The last part alone may hold any character. */
export function requestHash(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}
