import type { DatabaseSync } from 'node:sqlite';
import { prepare } from '../store/database.js';

/** More than the control plane signs for one node in the lifetime of such a token. */
const maxRemembered = 10_000;

/**
 * Ids of tokens that are valid for one use. They survive restarts. The newest are kept by count and
 * not by time, because the node's clock may change.
 */
export class UsedTokens {
  constructor(
    private readonly database: DatabaseSync,
    private readonly limit = maxRemembered,
  ) {}

  /** Records a use. Of all uses of a token, exactly one returns true. */
  use(id: string): boolean {
    const { changes } = prepare(this.database, 'INSERT OR IGNORE INTO used_tokens (id) VALUES (?)').run(id);
    if (changes === 0) return false;
    prepare(
      this.database,
      'DELETE FROM used_tokens WHERE rowid <= (SELECT max(rowid) FROM used_tokens) - ?',
    ).run(this.limit);
    return true;
  }
}
