import { workers } from './runner/workers.js';

/** People of the shared cloud of end-to-end tests beside the three of its code host. */
export const loginsOfWorkers = Array.from({ length: workers }, (_, index) => `worker-${index + 1}`);
/** The person of generated calls, whose records are among nobody else's. */
export const fuzzer = 'fuzzer';
