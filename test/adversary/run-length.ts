/** `npm run adversary` sets it: more attempts of each attack than `npm test` has time for. */
export const isLongRun = process.env.ADVERSARY === 'long';

/** How many attempts an attack makes in the run of the moment. */
export function attempts({ short, long }: { readonly short: number; readonly long: number }): number {
  return isLongRun ? long : short;
}
