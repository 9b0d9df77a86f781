import type { SQLOutputValue } from 'node:sqlite';
import * as z from 'zod/mini';
import { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import { cutText } from './message-text.js';

/** A message of a chat as it is kept until the control plane has it. */
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
  /** It may grow still: kept, but not sent yet, and nothing of its chat passes it. */
  readonly isOpen: boolean;
}

/** What of one chat goes to the control plane in one request, oldest first. */
export interface OutboxBatch {
  readonly chatSessionId: string;
  /** Of the sequence that its numbers belong to. */
  readonly streamId: string;
  readonly rows: readonly OutboxRow[];
  /** More of the chat could be sent after these. */
  readonly hasMore: boolean;
}

export interface OutboxRow {
  readonly position: number;
  readonly createdAt: string;
  /** Where the whole of it is uploaded, it is only the beginning. */
  readonly message: ConversationMessage;
  /** The whole of it has to be uploaded before it is told. */
  readonly awaitsUpload: boolean;
}

const Kinds = z.object({
  role: ConversationMessage.shape.role,
  origin: z.nullable(z.enum(['user', 'system'])),
  whole_bytes: z.nullable(z.int()),
  whole_sha256: z.nullable(z.string()),
});

/** As much of a message is in its chat's pages when the whole of it is kept elsewhere. */
const beginningBytes = 16_384;

/** A message of the outbox with what is known of its whole content. */
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
