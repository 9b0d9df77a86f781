import type { Table } from '../../shared/table.js';
import type { Key } from '../records/changes.js';
import { transact } from '../records/transact.js';
import { inboxKey, keptSeconds } from './inbox-item.js';

/** Outlives its item: a repeated change does not add a dismissed item again. */
export const dismissalKey = (userId: string, itemId: string): Key => ({
  pk: `INBOXDISMISSED#${userId}`,
  sk: itemId,
});

/** A later cause with the same id is a new item. Repeatable. One table call. */
export async function dismissItem(
  table: Table,
  { userId, itemId, now }: { readonly userId: string; readonly itemId: string; readonly now: Date },
): Promise<void> {
  const dismissal = {
    ...dismissalKey(userId, itemId),
    entity: 'inbox-dismissal',
    schemaVersion: 1,
    dismissedAt: now.toISOString(),
    expiresAt: Math.floor(now.getTime() / 1_000) + keptSeconds,
  };
  await transact(table, [
    { delete: inboxKey(userId, itemId), when: { exists: true } },
    { put: dismissal, when: {} },
  ]);
}
