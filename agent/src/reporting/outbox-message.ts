import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';

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
