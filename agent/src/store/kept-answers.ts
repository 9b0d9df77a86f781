import type { DatabaseSync } from 'node:sqlite';
import { prepare } from './database.js';
import type { Seal } from './seal.js';
import { sealOf } from './sealed-columns.js';

/** One answer of the control plane to one session. */
export interface AnswerPlace {
  readonly workspaceId: string;
  readonly generation: number;
  readonly sessionId: string;
  readonly name: string;
}

/**
 * The last answers that a session started with, sealed. They start it again, in the same
 * generation, while the control plane does not answer. Triggers of the database remove them with
 * the session, the generation and the workspace.
 */
export class KeptAnswers {
  private readonly seal: Seal;

  constructor(private readonly database: DatabaseSync) {
    this.seal = sealOf(database);
  }

  /** Does nothing after the session was stopped. */
  keep(place: AnswerPlace, answer: unknown): void {
    const { workspaceId, generation, sessionId, name } = place;
    prepare(
      this.database,
      `INSERT INTO kept_answers (workspace_id, session_id, name, generation, sealed)
         SELECT workspace_id, session_id, ?, ?, ? FROM agent_sessions
           WHERE workspace_id = ? AND session_id = ? AND status <> 'stopped'
         ON CONFLICT (workspace_id, session_id, name) DO UPDATE SET
           generation = excluded.generation, sealed = excluded.sealed`,
    ).run(name, generation, this.seal.close(JSON.stringify(answer), ownerOf(place)), workspaceId, sessionId);
  }

  find(place: AnswerPlace): unknown {
    const { workspaceId, generation, sessionId, name } = place;
    const row = prepare(
      this.database,
      `SELECT sealed FROM kept_answers
         WHERE workspace_id = ? AND session_id = ? AND name = ? AND generation = ?`,
    ).get(workspaceId, sessionId, name, generation);
    const text = row ? this.seal.open(String(row.sealed), ownerOf(place)) : null;
    return text === null ? null : JSON.parse(text);
  }

  remove({ workspaceId, sessionId, name }: AnswerPlace): void {
    const sql = 'DELETE FROM kept_answers WHERE workspace_id = ? AND session_id = ? AND name = ?';
    prepare(this.database, sql).run(workspaceId, sessionId, name);
  }
}

function ownerOf({ workspaceId, generation, sessionId, name }: AnswerPlace): string {
  return JSON.stringify(['kept_answers', workspaceId, generation, sessionId, name]);
}
