import * as z from 'zod/mini';

/**
 * Record ids are ULIDs: 26 characters of upper-case Crockford base 32. DNS names carry them in
 * lower case.
 */
export const Ulid = z.string().check(z.regex(/^[0-9A-HJKMNP-TV-Z]{26}$/));
export type Ulid = z.infer<typeof Ulid>;
