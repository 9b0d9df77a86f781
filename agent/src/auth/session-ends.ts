import type { DatabaseSync } from 'node:sqlite';
import { prepare } from '../store/database.js';

/**
 * People do not end more sessions within a token's lifetime of one hour. The oldest are removed.
 */
const maxRemembered = 10_000;
/** Bound of the cache of sessions that have not ended. */
const maxKnown = 1_000;

/**
 * Sign-in sessions that the control plane reported as ended. Owners of sockets and cookies listen,
 * and close them. An end is stored for longer than a token of the session can live, and survives
 * restarts and clock changes. Ending a session again has no effect.
 */
export class SessionEnds {
  private readonly listeners = new Set<(sessionHash: string) => void>();
  /** Cache: every request of a person looks up its session. */
  private readonly active = new Set<string>();
  /** Ended, but not yet stored. */
  private readonly unwritten = new Set<string>();

  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
    private readonly limit = maxRemembered,
  ) {}

  /** @returns a function that removes the listener */
  onEnd(listener: (sessionHash: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Stores the end, then notifies the listeners. When storing fails, the end holds until this
   * process ends.
   * @throws when the end could not be stored
   */
  end(sessionHash: string): void {
    this.active.delete(sessionHash);
    this.unwritten.add(sessionHash);
    try {
      this.write(sessionHash);
      this.unwritten.delete(sessionHash);
    } finally {
      for (const listener of this.listeners) listener(sessionHash);
    }
  }

  hasEnded(sessionHash: string): boolean {
    if (this.active.has(sessionHash)) return false;
    if (this.unwritten.has(sessionHash)) return true;
    const found = prepare(this.database, 'SELECT 1 FROM ended_sessions WHERE session_hash = ?').get(
      sessionHash,
    );
    if (found !== undefined) return true;
    if (this.active.size >= maxKnown) this.active.clear();
    this.active.add(sessionHash);
    return false;
  }

  private write(sessionHash: string): void {
    prepare(
      this.database,
      `INSERT INTO ended_sessions (session_hash, ended_at) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET ended_at = excluded.ended_at`,
    ).run(sessionHash, this.now().getTime());
    prepare(
      this.database,
      `DELETE FROM ended_sessions WHERE rowid IN
           (SELECT rowid FROM ended_sessions ORDER BY ended_at DESC LIMIT -1 OFFSET ?)`,
    ).run(this.limit);
  }
}
