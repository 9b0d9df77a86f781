import { availableParallelism } from 'node:os';

/**
 * The number of test files that run at a time. Files of integration and e2e wait half of their
 * time for a process that they started, so three run also on two cores.
 */
export const workers = Math.max(3, availableParallelism() - 1);
