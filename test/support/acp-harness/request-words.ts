import { createHash } from 'node:crypto';

/**
 * A word that only the texts of this request and the answers to it have: its title, its options and
 * their ids.
 */
export const wordOf = (request: string): string =>
  `w${createHash('sha256').update(request).digest('hex').slice(0, 24)}`;

const letters = ['a', 'b', 'c'] as const;
/** The options that people choose, and the refusal that nobody chooses. */
export const choicesOf = (request: string): readonly string[] =>
  letters.map((letter) => `${letter}-${wordOf(request)}`);
export const refusalOf = (request: string): string => `no-${wordOf(request)}`;

export const wordPattern = /w[0-9a-f]{24}/g;
