/** Its node answers for it. */
export const reachable: ReadonlySet<string> = new Set(['running', 'recovering']);

/** A restart brings it back; it wakes a sleeping one. */
export const restartable: ReadonlySet<string> = new Set(['sleeping', 'stopped', 'errored', 'evicted']);
