import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import * as z from 'zod/mini';
import { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import { prepare } from '../store/database.js';
import { cutText } from './message-text.js';

/** A chat message in the outbox. */
export interface OutboxMessage {
  readonly workspaceId: string;
  readonly chatSessionId: string;
  readonly messageId: string;
  readonly role: ConversationMessage['role'];
  readonly content: string;
  readonly toolMetadata: Readonly<Record<string, unknown>> | null;
  readonly origin: 'user' | 'system' | null;
  /** ISO-8601. */
  readonly createdAt: string;
  /** An open message may grow. It is not sent yet, and blocks later messages of its chat. */
  readonly isOpen: boolean;
}

/** Messages of one chat for one request, oldest first. */
export interface OutboxBatch {
  readonly chatSessionId: string;
  /** Identifies the sequence of the message numbers. */
  readonly streamId: string;
  readonly rows: readonly OutboxRow[];
  /** More messages of the chat are ready to be sent. */
  readonly hasMore: boolean;
}

export interface OutboxRow {
  readonly position: number;
  readonly createdAt: string;
  /** Only the beginning when the whole content was uploaded. */
  readonly message: ConversationMessage;
  /** The whole content has to be uploaded before the message is sent. */
  readonly awaitsUpload: boolean;
}

const Kinds = z.object({
  role: ConversationMessage.shape.role,
  origin: z.nullable(z.enum(['user', 'system'])),
  whole_bytes: z.nullable(z.int()),
  whole_sha256: z.nullable(z.string()),
});

/** Bytes of an uploaded message that the chat holds itself. */
const beginningBytes = 16_384;

/** Reads a row of the outbox joined with its whole content. */
export function toRow(row: Record<string, SQLOutputValue>): OutboxRow {
  const { role, origin, whole_bytes: bytes, whole_sha256: sha256 } = Kinds.parse(row);
  const createdAt = String(row.created_at);
  const content = String(row.content);
  const isKept = bytes !== null && sha256 !== null;
  const message = {
    messageId: String(row.message_id),
    sessionId: String(row.chat_session_id),
    role,
    content: isKept ? cutText(content, beginningBytes) : content,
    ...(isKept ? { whole: { bytes, sha256 } } : {}),
    ...(row.tool_metadata === null ? {} : { toolMetadata: JSON.parse(String(row.tool_metadata)) }),
    timestamp: createdAt,
    sequence: Number(row.sequence),
    ...(origin === null ? {} : { origin }),
  };
  return {
    position: Number(row.position),
    createdAt,
    message,
    awaitsUpload: bytes !== null && sha256 === null,
  };
}

/** Numbers the messages of each chat, over all generations of a workspace on this node. */
export class MessageSequences {
  constructor(private readonly database: DatabaseSync) {}

  /** Sequence number of the last message of a chat from this workspace. */
  last(workspaceId: string, chatSessionId: string): number {
    const row = prepare(
      this.database,
      'SELECT last_sequence FROM message_sequences WHERE workspace_id = ? AND chat_session_id = ?',
    ).get(workspaceId, chatSessionId);
    return Number(row?.last_sequence ?? 0);
  }

  streamId(workspaceId: string, chatSessionId: string): string {
    const row = prepare(
      this.database,
      'SELECT stream_id FROM message_sequences WHERE workspace_id = ? AND chat_session_id = ?',
    ).get(workspaceId, chatSessionId);
    return String(row?.stream_id);
  }

  next({ workspaceId, chatSessionId }: OutboxMessage): number {
    const row = prepare(
      this.database,
      `INSERT INTO message_sequences (workspace_id, chat_session_id, last_sequence, stream_id)
         VALUES (?, ?, 1, lower(hex(randomblob(16))))
         ON CONFLICT DO UPDATE SET last_sequence = last_sequence + 1 RETURNING last_sequence`,
    ).get(workspaceId, chatSessionId);
    return Number(row?.last_sequence);
  }
}
