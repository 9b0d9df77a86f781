import { renewalRatio } from '../../../protocol/tokens.js';

/** Enough of a token's life has passed that its holder should get a new one. */
export function isRenewalDue(
  { iat, exp }: { readonly iat: number; readonly exp: number },
  now: Date,
): boolean {
  return now.getTime() / 1000 >= iat + (exp - iat) * renewalRatio.default;
}
