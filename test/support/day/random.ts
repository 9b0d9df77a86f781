/** A whole number below the argument. */
export type RandomInt = (below: number) => number;

/** The same numbers in each run. */
export function randomOf(seed: number): RandomInt {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
