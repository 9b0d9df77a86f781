const firstMs = 500;
const longestMs = 30_000;

/**
 * How long to wait before try number `attempt` (from 0): doubling, and jittered so that clients do
 * not return in step.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 20));
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}
