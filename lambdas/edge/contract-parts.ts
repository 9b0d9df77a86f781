import * as z from 'zod/mini';

/** Query names that every list takes; `most` is the longest page. */
export const pageQueryUpTo = (most: number) => ({
  limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(most)), 50),
  cursor: z.optional(z.string().check(z.maxLength(512))),
});

export const pageQuery = pageQueryUpTo(100);

/** Null on the last page. */
export const nextCursor = z.nullable(z.string());
export interface MultipartForm {
  /** With the boundary of its parts. */
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** A form as it came, for whoever takes it apart. */
export const MultipartForm = z.custom<MultipartForm>(
  (body) => typeof body === 'object' && body !== null && 'content' in body,
  'A form with files is needed',
);
