import type { Table } from '../../shared/table.js';
import { type TransactionOutcome, transact, type Write } from '../records/transact.js';
import { type Grant, grantItem } from './grant.js';
import { keepGrant } from './open-user-token.js';

/**
 * All writes or none, and with them a renewed grant, which is stored in any case: its refresh token
 * works once. One table call, and one more when a condition fails.
 */
export async function transactWithGrant(
  table: Table,
  writes: readonly Write[],
  renewed: Grant | undefined,
): Promise<TransactionOutcome> {
  if (!renewed) return transact(table, writes);
  const grant = { put: grantItem(renewed), when: { equals: { version: renewed.version - 1 } } };
  const outcome = await transact(table, [...writes, grant]);
  if (outcome.committed) return outcome;
  // A sign-in has stored newer tokens: those stay.
  if (outcome.refusals[writes.length]?.failed) return transact(table, writes);
  await keepGrant(table, renewed);
  return outcome;
}
