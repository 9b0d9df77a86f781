import * as z from 'zod/mini';

/** Query names that every list takes. */
export const pageQuery = {
  limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100)), 50),
  cursor: z.optional(z.string().check(z.maxLength(512))),
};

/** Null on the last page. */
export const nextCursor = z.nullable(z.string());
