import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { endMatch, hasMore, progress } from './claim-writes.js';
import type { LoadedWake } from './load-wake.js';
import type { WakePlan } from './plan-wake.js';

type Close = Extract<WakePlan, { do: 'close' }>;

/**
 * Passes the matches that were read, none of which waits: somebody acknowledged them before a wake.
 * One table call.
 */
export async function passMatches(table: Table, loaded: LoadedWake, now: Date): Promise<void> {
  const dueAt = hasMore(loaded) ? now.toISOString() : null;
  await transact(table, [progress(loaded, { dueAt, set: { wakeThrough: loaded.readThrough }, now })]);
}

/** Ends the waiting of the matches that were read. More of them are due at once. One table call. */
export async function closeMatches(
  table: Table,
  loaded: LoadedWake,
  { to, reason, now }: Omit<Close, 'do'> & { readonly now: Date },
): Promise<void> {
  const dueAt = hasMore(loaded) ? now.toISOString() : null;
  await transact(table, [
    progress(loaded, { dueAt, set: { wakeThrough: loaded.readThrough }, now }),
    ...loaded.matches.map((match) => endMatch(match, { to, reason, now })),
  ]);
}
