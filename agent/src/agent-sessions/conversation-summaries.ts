import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { prepare } from '../store/database.js';
import type { SessionKey } from './session-record.js';

/** The first text is kept, and this many of the last ones. */
const maxLastTexts = 30;
/** Characters of one text. The end of a longer answer says more than its start. */
export const maxTextLength = 2_000;

const Texts = z.array(z.object({ from: z.enum(['person', 'agent']), text: z.string() }));
type Text = z.infer<typeof Texts>[number];

/**
 * The first and the last messages of each session, cut: the summary with which a new ACP session
 * begins when the earlier one cannot be loaded. All methods join an open commit.
 */
export class ConversationSummaries {
  constructor(private readonly database: DatabaseSync) {}

  add(key: SessionKey, text: Text): void {
    const texts = this.read(key);
    texts.push({ from: text.from, text: text.text.slice(-maxTextLength) });
    if (texts.length > maxLastTexts + 1) texts.splice(1, texts.length - maxLastTexts - 1);
    prepare(
      this.database,
      `INSERT INTO conversation_summaries (workspace_id, session_id, texts) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET texts = excluded.texts`,
    ).run(key.workspaceId, key.sessionId, JSON.stringify(texts));
  }

  /** For the agent, without the prompt that was accepted last. */
  textOf(key: SessionKey): string {
    const lines = this.read(key)
      .slice(0, -1)
      .map(({ from, text }) => `${from === 'person' ? 'Person' : 'You'}: ${text}`);
    return [introduction, ...lines, 'End of the summary. The next message of the person follows.'].join(
      '\n\n',
    );
  }

  removeWorkspace(workspaceId: string): void {
    prepare(this.database, 'DELETE FROM conversation_summaries WHERE workspace_id = ?').run(workspaceId);
  }

  private read({ workspaceId, sessionId }: SessionKey): Text[] {
    const row = prepare(
      this.database,
      'SELECT texts FROM conversation_summaries WHERE workspace_id = ? AND session_id = ?',
    ).get(workspaceId, sessionId);
    return row ? Texts.parse(JSON.parse(String(row.texts))) : [];
  }
}

const introduction =
  'This conversation continues in a new session, because the earlier session could not be loaded. Summary of the conversation (its first message and its last messages, long ones cut). The files of the workspace are as they were left.';
