import * as z from 'zod/mini';

/** A secret as the table holds it: sealed by a data key of its own, which is itself sealed by the key in KMS. */
export const SealedSecret = z.object({
  version: z.literal(1),
  /** All base64. */
  dataKey: z.string(),
  iv: z.string(),
  tag: z.string(),
  text: z.string(),
});
export type SealedSecret = z.infer<typeof SealedSecret>;

/** Whose secret it is and of which record; a secret moved to another record does not open. */
export interface SecretContext {
  readonly owner: string;
  readonly record: string;
}

/** What seals and opens secrets. */
export interface SecretBox {
  seal(text: string, context: SecretContext): Promise<SealedSecret>;
  open(sealed: SealedSecret, context: SecretContext): Promise<string>;
}
