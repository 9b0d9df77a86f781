import * as z from 'zod/mini';

/** A secret as stored: sealed by its own data key, which the key in KMS seals. */
export const SealedSecret = z.object({
  version: z.literal(1),
  /** All base64. */
  dataKey: z.string(),
  iv: z.string(),
  tag: z.string(),
  text: z.string(),
});
export type SealedSecret = z.infer<typeof SealedSecret>;

/** Owner and record of a secret; a secret that is moved to another record does not open. */
export interface SecretContext {
  readonly owner: string;
  readonly record: string;
}

/** What seals and opens secrets. */
export interface SecretBox {
  seal(text: string, context: SecretContext): Promise<SealedSecret>;
  open(sealed: SealedSecret, context: SecretContext): Promise<string>;
}
