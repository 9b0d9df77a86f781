import type { Route } from './routes.js';

/**
 * Seconds for which one request may hold its function: the function's own timeout. A call of a node or of the code host is
 * bounded to 5 s, and four table calls of some 10 ms leave a cold start its second. A node that reads files or asks git
 * has 8 s, and 15 s where it sends or takes the bytes of a file; a connection has 4 s in front of each.
 */
export function longestHoldSeconds({ readsNode }: Pick<Route, 'readsNode'>): number {
  if (readsNode === 'bytes') return 25;
  return readsNode === 'answer' ? 15 : 10;
}
