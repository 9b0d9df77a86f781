import * as z from 'zod/mini';

/** What a chat is about, as a list shows it. */
export const Topic = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(200),
    z.regex(/^[^\p{Cc}]*$/u, 'One line, without control characters'),
  );
