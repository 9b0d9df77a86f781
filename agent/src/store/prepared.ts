import type { DatabaseSync, StatementSync } from 'node:sqlite';

const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/**
 * The statement, prepared once for each database. One that is prepared anew for each use holds memory that the collector
 * does not see, and is slower. Texts must be few: values are bound, never written into them.
 */
export function prepare(database: DatabaseSync, sql: string): StatementSync {
  const own = prepared.get(database) ?? new Map<string, StatementSync>();
  prepared.set(database, own);
  const statement = own.get(sql) ?? database.prepare(sql);
  own.set(sql, statement);
  return statement;
}
