import { monotonicFactory } from 'ulid';

/** Ids of one process sort in the order they were made, also within a millisecond. */
export const newId = monotonicFactory();
