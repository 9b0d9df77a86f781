import { createHash } from 'node:crypto';

/** SHA-256 of a text. Stored instead of a secret, or compared instead of a whole request. */
export const hashText = (text: string): string => createHash('sha256').update(text).digest('base64url');
