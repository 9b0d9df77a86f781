import type { DatabaseSync } from 'node:sqlite';

/**
 * All that `work` writes is committed and synced to disk together, or none of it. `work` is synchronous, so nothing else
 * of this process comes between.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // A failed COMMIT may have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
