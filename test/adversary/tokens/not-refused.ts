import type { Forgery } from './forged-signatures.js';

/** What a verifier has taken, or answered with anything but a refusal. */
export async function notRefused(
  forgeries: readonly Forgery[],
  verify: (token: string) => Promise<unknown>,
  isRefusal: (answer: unknown) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  // One after the other: some proofs can be taken only once.
  for (const [what, token] of forgeries) {
    const answer = await verify(token).catch((error: unknown) => error);
    if (!isRefusal(answer)) found.push(`${what}: ${String(answer).slice(0, 100)}`);
  }
  return found;
}
