/**
 * How long calls to a node may take, in milliseconds, by who waits for them. Each ends well before the function that
 * makes it (lambdas/route-holds.ts), so that it is the function that tells what happened.
 */
export const nodeTimeouts = {
  /** Until TLS stands, for every call: an address where nobody is does not refuse, it is silent. */
  connect: 4_000,
  /** A person waits for a short deed of the node. */
  request: 5_000,
  /** A person waits for a list of files or for git, which may look at many. */
  read: 8_000,
  /** A person waits for the bytes of a file. */
  transfer: 15_000,
  /** A saga's step hands work over. */
  handOver: 15_000,
  /** A saga's step waits for the node to have done it. */
  work: 30_000,
} as const;
