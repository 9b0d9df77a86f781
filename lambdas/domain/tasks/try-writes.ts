import type { Table } from '../../shared/table.js';
import type { Item } from '../records/batch-items.js';
import { transact, type Write } from '../records/transact.js';

/** A write of a transaction, and what it means that its condition did not hold. */
export interface GuardedWrite {
  readonly write: Write;
  readonly refused?: (item: Item | undefined) => Error;
}

/** The first write whose condition did not hold. */
export interface FirstRefusal {
  readonly at: number;
  readonly item: Item | undefined;
  readonly error: Error;
}

/** All writes or none; nothing is returned when they were made. One table call. */
export async function tryWrites(
  table: Table,
  writes: readonly GuardedWrite[],
): Promise<FirstRefusal | undefined> {
  const outcome = await transact(
    table,
    writes.map(({ write }) => write),
  );
  if (outcome.committed) return undefined;
  const at = outcome.refusals.findIndex(({ failed }) => failed);
  const item = outcome.refusals[at]?.item;
  return {
    at,
    item,
    error: writes[at]?.refused?.(item) ?? new Error('What was to be written anew is there'),
  };
}
