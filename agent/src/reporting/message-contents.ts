import type { DatabaseSync } from 'node:sqlite';
import { maxMessageBytes, maxWholeBytes } from '../../../protocol/agent-callbacks.js';
import { inTransaction, prepare } from '../store/database.js';
import { cutText } from './cut-text.js';

export const lostMark = '\n\n[truncated: the rest could not be stored]';

/**
 * All that waiting messages say that are longer than a message may be, until they are told. Without its entry here a message
 * is one like any other, cut and marked; the entry goes with its message.
 */
export class MessageContents {
  constructor(private readonly database: DatabaseSync) {}

  /** Belongs to the commit that is open. */
  put(position: number, content: string): void {
    const whole = cutText(content, maxWholeBytes);
    prepare(
      this.database,
      'INSERT OR REPLACE INTO message_contents (position, content, bytes) VALUES (?, ?, ?)',
    ).run(position, whole, Buffer.byteLength(whole));
  }

  read(position: number): string {
    const row = prepare(this.database, 'SELECT content FROM message_contents WHERE position = ?').get(
      position,
    );
    return String(row?.content ?? '');
  }

  uploaded(position: number, sha256: string): void {
    prepare(this.database, 'UPDATE message_contents SET sha256 = ? WHERE position = ?').run(sha256, position);
  }

  /** It has to be uploaded, perhaps again. @returns how often that has failed by now */
  failed(position: number): number {
    const row = prepare(
      this.database,
      `UPDATE message_contents SET sha256 = NULL, attempts = attempts + 1 WHERE position = ? RETURNING attempts`,
    ).get(position);
    return Number(row?.attempts ?? 0);
  }

  /** The message is told as far as it goes, and says that there was more. */
  giveUp(position: number): void {
    const cut = cutText(this.read(position), maxMessageBytes, lostMark);
    inTransaction(this.database, () => {
      prepare(this.database, 'UPDATE message_outbox SET content = ?, bytes = ? WHERE position = ?').run(
        cut,
        Buffer.byteLength(cut),
        position,
      );
      this.drop(position);
    });
  }

  drop(position: number): void {
    prepare(this.database, 'DELETE FROM message_contents WHERE position = ?').run(position);
  }
}
