import { type BrotliCompress, constants, createBrotliCompress } from 'node:zlib';

interface Content {
  readonly ContentType?: string | undefined;
  readonly ContentLength?: number | undefined;
}

const types = /^(?:text\/|application\/(?:javascript|json)|image\/svg)/;
const minBytes = 1_000;

/** Whether the distribution compresses an object for a client that accepts these encodings. */
export const compresses = (
  accepted: string | readonly string[] | undefined,
  { ContentType = '', ContentLength = 0 }: Content,
): boolean => /\bbr\b/.test(String(accepted)) && ContentLength >= minBytes && types.test(ContentType);

/** A level that is fast enough for each request. */
export const quickBrotli = (): BrotliCompress =>
  createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
