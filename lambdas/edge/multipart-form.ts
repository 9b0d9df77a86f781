import * as z from 'zod/mini';

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
