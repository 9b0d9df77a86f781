import { availableParallelism } from 'node:os';

/**
 * The number of test files that run at a time. Most of integration and e2e wait for a process
 * that they started, so two run also on two cores.
 */
export const workers = Math.max(2, availableParallelism() - 1);
