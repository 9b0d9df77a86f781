import { existsSync, renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLITE_CORRUPT and SQLITE_NOTADB, without their extended codes. */
const damageCodes: readonly unknown[] = [11, 26];
const sidecars = ['', '-wal', '-shm'] as const;

/**
 * Renames a damaged database and its sidecar files, so that a new one can be opened. A damaged
 * database that stays would end every start of the agent.
 * @returns the new path; null when the database is intact or missing
 */
export function setAsideDamaged(path: string, now: Date): string | null {
  if (!existsSync(path) || isIntact(path)) return null;
  const kept = `${path}.damaged-${now.toISOString().replaceAll(':', '-')}`;
  for (const sidecar of sidecars) if (existsSync(path + sidecar)) renameSync(path + sidecar, kept + sidecar);
  return kept;
}

function isIntact(path: string): boolean {
  const database = new DatabaseSync(path);
  try {
    return database.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok';
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : null;
    if (damageCodes.includes(code)) return false;
    throw error;
  } finally {
    database.close();
  }
}
