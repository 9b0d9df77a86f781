import type { DatabaseSync } from 'node:sqlite';
import { prepare } from '../store/database.js';

/** More ends than this within the hour that a token lives are not the sign-outs of people; the oldest make way. */
const maxRemembered = 10_000;
/** Sessions that go on, known from the last request of each. */
const maxKnown = 1_000;

/**
 * The sign-in sessions that the control plane said are over. Whoever holds something that such a session opened (a
 * socket, a browser's cookie) listens and lets go of it. An end is remembered, also through a restart and however the clock
 * is set, longer than a token of that session can live: none opens anything anew. To end a session twice is harmless.
 */
export class SessionEnds {
  private readonly listeners = new Set<(sessionHash: string) => void>();
  /** Each request of a person asks; only an end makes another answer of it. */
  private readonly goingOn = new Set<string>();
  /** Ended, but not on disk: to be told again. */
  private readonly unwritten = new Set<string>();

  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => Date,
    private readonly limit = maxRemembered,
  ) {}

  /** @returns how to listen no more */
  onEnd(listener: (sessionHash: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * It is on disk before anybody hears of it. A disk that takes nothing keeps no session alive: the end holds as long as this
   * process, and is told to the listeners.
   * @throws when it could not be written down
   */
  end(sessionHash: string): void {
    this.goingOn.delete(sessionHash);
    this.unwritten.add(sessionHash);
    try {
      this.write(sessionHash);
      this.unwritten.delete(sessionHash);
    } finally {
      for (const listener of this.listeners) listener(sessionHash);
    }
  }

  hasEnded(sessionHash: string): boolean {
    if (this.goingOn.has(sessionHash)) return false;
    if (this.unwritten.has(sessionHash)) return true;
    const found = prepare(this.database, 'SELECT 1 FROM ended_sessions WHERE session_hash = ?').get(
      sessionHash,
    );
    if (found !== undefined) return true;
    if (this.goingOn.size >= maxKnown) this.goingOn.clear();
    this.goingOn.add(sessionHash);
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
