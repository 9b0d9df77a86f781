import type { DatabaseSync } from 'node:sqlite';
import { maxMessageBytes } from '../../../protocol/agent-callbacks.js';
import { AgentError } from '../errors.js';
import { inTransaction, prepare } from '../store/database.js';
import { MessageContents } from './message-contents.js';
import { cutText, metadataText } from './message-text.js';
import {
  MessageSequences,
  type OutboxBatch,
  type OutboxMessage,
  type OutboxRow,
  toRow,
} from './outbox-message.js';

/** People's messages may use 10 % more room than messages of agents. */
const reserve = 1.1;

interface OutboxLimits {
  /** Limits of one workspace. */
  readonly messages: number;
  readonly bytes: number;
}

export interface BatchLimits {
  readonly messages: number;
  /** Size of the messages as JSON. */
  readonly bytes: number;
}

/**
 * Stores messages until the control plane confirms them, in order. All methods are synchronous and
 * join an open commit. Writing a message again replaces it.
 */
export class MessageOutbox {
  /** Chats that accept no more messages. */
  private readonly closedChats = new Set<string>();
  readonly contents: MessageContents;
  readonly sequences: MessageSequences;

  constructor(
    private readonly database: DatabaseSync,
    private readonly limits: OutboxLimits,
    private readonly onDrop: (workspaceId: string, chatSessionId: string) => void,
  ) {
    this.contents = new MessageContents(database);
    this.sequences = new MessageSequences(database);
  }

  /** Runs the work in its own commit. */
  commit(work: () => void): void {
    inTransaction(this.database, work);
  }

  /**
   * Returns false when the outbox is full. The sequence number is used, which leaves a visible gap.
   * @throws AgentError insufficient_storage for a message of a person
   */
  write(message: OutboxMessage): boolean {
    const content = cutText(message.content, maxMessageBytes);
    const position = this.change(message, content) ?? this.add(message, content);
    if (position === null) return false;
    if (content !== message.content) this.contents.put(position, message.content);
    return true;
  }

  has(workspaceId: string, messageId: string): boolean {
    const found = prepare(
      this.database,
      'SELECT 1 FROM message_outbox WHERE workspace_id = ? AND message_id = ?',
    ).get(workspaceId, messageId);
    return found !== undefined;
  }

  /** The next batch, or null. A message whose content has to be uploaded first comes alone. */
  next(workspaceId: string, limits: BatchLimits): OutboxBatch | null {
    const head = this.sendable(workspaceId, null, 1)[0];
    if (!head) return null;
    const chatSessionId = head.message.sessionId;
    let bytes = 0;
    let isCut = false;
    const sendable = this.sendable(workspaceId, chatSessionId, limits.messages + 1);
    const rows = sendable.slice(0, limits.messages).filter((row, index) => {
      bytes += Buffer.byteLength(JSON.stringify(row.message)) + 1;
      if (index > 0) isCut ||= head.awaitsUpload || row.awaitsUpload || bytes > limits.bytes;
      return !isCut;
    });
    const streamId = this.sequences.streamId(workspaceId, chatSessionId);
    return { chatSessionId, streamId, rows, hasMore: rows.length < sendable.length };
  }

  /** Deletes confirmed messages. */
  remove(rows: readonly Pick<OutboxRow, 'position'>[]): void {
    const statement = prepare(this.database, 'DELETE FROM message_outbox WHERE position = ?');
    this.commit(() => {
      for (const { position } of rows) statement.run(position);
    });
  }

  /** Replaces the content with a shorter one. */
  replaceContent({ position }: OutboxRow, content: string): void {
    this.contents.drop(position);
    prepare(
      this.database,
      'UPDATE message_outbox SET content = ?, tool_metadata = NULL, bytes = ? WHERE position = ?',
    ).run(content, Buffer.byteLength(content), position);
  }

  /** Deletes the messages of a chat that accepts no more. @returns their number */
  closeChat(workspaceId: string, chatSessionId: string): number {
    this.closedChats.add(chatKey(workspaceId, chatSessionId));
    const { changes } = prepare(
      this.database,
      'DELETE FROM message_outbox WHERE workspace_id = ? AND chat_session_id = ?',
    ).run(workspaceId, chatSessionId);
    return Number(changes);
  }

  hasMessages(workspaceId: string, chatSessionId: string): boolean {
    const row = prepare(
      this.database,
      'SELECT 1 FROM message_outbox WHERE workspace_id = ? AND chat_session_id = ? LIMIT 1',
    ).get(workspaceId, chatSessionId);
    return row !== undefined;
  }

  count(workspaceId: string): number {
    return this.size(workspaceId).messages;
  }

  /** Closes open messages, deletes orphaned ones. @returns workspaces with messages */
  reconcileOnStart(): string[] {
    this.database.exec(
      `UPDATE message_outbox SET is_open = 0 WHERE is_open = 1;
       DELETE FROM message_outbox WHERE workspace_id NOT IN (SELECT workspace_id FROM workspaces);
       DELETE FROM message_sequences WHERE workspace_id NOT IN (SELECT workspace_id FROM workspaces);`,
    );
    const rows = prepare(this.database, 'SELECT DISTINCT workspace_id FROM message_outbox').all();
    return rows.map((row) => String(row.workspace_id));
  }

  removeWorkspace(workspaceId: string): void {
    this.commit(() => {
      prepare(this.database, 'DELETE FROM message_outbox WHERE workspace_id = ?').run(workspaceId);
      prepare(this.database, 'DELETE FROM message_sequences WHERE workspace_id = ?').run(workspaceId);
    });
  }

  /** @returns the position; null for an unknown message */
  private change(
    { workspaceId, messageId, isOpen, ...message }: OutboxMessage,
    content: string,
  ): number | null {
    const row = prepare(
      this.database,
      `UPDATE message_outbox SET content = ?, bytes = ?, is_open = ?, tool_metadata = ?
         WHERE workspace_id = ? AND message_id = ? RETURNING position`,
    ).get(
      content,
      Buffer.byteLength(message.content),
      Number(isOpen),
      metadataText(message.toolMetadata),
      workspaceId,
      messageId,
    );
    return row ? Number(row.position) : null;
  }

  private add(message: OutboxMessage, content: string): number | null {
    const { workspaceId, chatSessionId, role } = message;
    if (this.closedChats.has(chatKey(workspaceId, chatSessionId))) return null;
    const hasRoom = this.hasRoom(message);
    if (!hasRoom && role === 'user')
      throw new AgentError(
        'insufficient_storage',
        'Workspace has too many undelivered messages. Retry when the control plane is reachable.',
      );
    const sequence = this.sequences.next(message);
    if (hasRoom) return this.insert(message, content, sequence);
    this.onDrop(workspaceId, chatSessionId);
    return null;
  }

  private insert(message: OutboxMessage, content: string, sequence: number): number {
    const { lastInsertRowid } = prepare(
      this.database,
      `INSERT INTO message_outbox (workspace_id, chat_session_id, sequence, message_id, role, content,
           tool_metadata, origin, created_at, is_open, bytes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      message.workspaceId,
      message.chatSessionId,
      sequence,
      message.messageId,
      message.role,
      content,
      metadataText(message.toolMetadata),
      message.origin,
      message.createdAt,
      Number(message.isOpen),
      Buffer.byteLength(message.content),
    );
    return Number(lastInsertRowid);
  }

  private hasRoom({ workspaceId, role }: OutboxMessage): boolean {
    const { messages, bytes } = this.size(workspaceId);
    const factor = role === 'user' ? reserve : 1;
    return messages < this.limits.messages * factor && bytes < this.limits.bytes * factor;
  }

  private size(workspaceId: string): { readonly messages: number; readonly bytes: number } {
    const row = prepare(
      this.database,
      'SELECT count(*) AS messages, sum(bytes) AS bytes FROM message_outbox WHERE workspace_id = ?',
    ).get(workspaceId);
    return { messages: Number(row?.messages ?? 0), bytes: Number(row?.bytes ?? 0) };
  }

  /** Closed messages with no open message of their chat before them. */
  private sendable(workspaceId: string, chatSessionId: string | null, limit: number): OutboxRow[] {
    return prepare(
      this.database,
      `SELECT message.*, whole.bytes AS whole_bytes, whole.sha256 AS whole_sha256
         FROM message_outbox AS message LEFT JOIN message_contents AS whole USING (position)
         WHERE workspace_id = ? AND is_open = 0 AND (? IS NULL OR chat_session_id = ?) AND NOT EXISTS
           (SELECT 1 FROM message_outbox AS earlier
            WHERE earlier.is_open = 1 AND earlier.workspace_id = message.workspace_id
              AND earlier.chat_session_id = message.chat_session_id AND earlier.position < message.position)
         ORDER BY position LIMIT ?`,
    )
      .all(workspaceId, chatSessionId, chatSessionId, limit)
      .map(toRow);
  }
}

function chatKey(workspaceId: string, chatSessionId: string): string {
  return `${workspaceId} ${chatSessionId}`;
}
