import { workers } from './runner/workers.js';

/** Who is at the shared cloud of the end-to-end tests beside the three people of its code host. */
export const loginsOfWorkers = Array.from({ length: workers }, (_, index) => `worker-${index + 1}`);
/** Whose calls are generated: what they leave is among nobody else's. */
export const fuzzer = 'fuzzer';
