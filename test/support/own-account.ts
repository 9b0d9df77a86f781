import { inject } from 'vitest';

/** Somebody who is signed in at the cloud that all end-to-end tests share. */
export interface Account {
  readonly login: string;
  readonly cookies: readonly (readonly [string, string])[];
}

/**
 * The person of the files that run in this worker, one after the other. The workers beside it have
 * other people, with other projects, nodes and inboxes. Not a superadmin.
 */
export function ownAccount(): Account {
  const account = inject('cloud').ofWorkers[Number(process.env.VITEST_POOL_ID) - 1];
  if (!account) throw new Error(`The cloud has no account for worker ${process.env.VITEST_POOL_ID}`);
  return account;
}
