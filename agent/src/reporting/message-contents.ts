import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import {
  type MessageContentRequest,
  MessageContentUpload,
  maxMessageBytes,
  maxWholeBytes,
} from '../../../protocol/agent-callbacks.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Log } from '../shared/log.js';
import { TransferError, type uploadObject } from '../snapshots/object-transfer.js';
import { inTransaction, prepare } from '../store/database.js';
import type { Workspace } from '../workspaces/workspace.js';
import { cutText } from './message-text.js';
import type { OutboxRow } from './outbox-message.js';

export const lostMark = '\n\n[truncated: the rest could not be stored]';

/**
 * The whole content of messages that exceed the message limit, until they are sent. A message
 * without an entry here is sent truncated. The entry is deleted with its message.
 */
export class MessageContents {
  constructor(private readonly database: DatabaseSync) {}

  /** Runs inside the open commit. */
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

  /** Marks the content as not uploaded. @returns the number of failed uploads */
  failed(position: number): number {
    const row = prepare(
      this.database,
      `UPDATE message_contents SET sha256 = NULL, attempts = attempts + 1 WHERE position = ? RETURNING attempts`,
    ).get(position);
    return Number(row?.attempts ?? 0);
  }

  /** Drops the whole content: the message is sent truncated and marked. */
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

/** After this many failed uploads the message is sent truncated. */
const maxAttempts = 4;
const putTimeoutMs = 30_000;

interface ContentUploadDeps {
  readonly contents: MessageContents;
  readonly controlPlane: Pick<ControlPlane, 'post'>;
  readonly putObject: typeof uploadObject;
  readonly log: Log;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Uploads the content of long messages before the messages are sent. */
export class ContentUpload {
  constructor(private readonly deps: ContentUploadDeps) {}

  /**
   * Returns false when the upload failed.
   * @throws CallbackRefused | CallbackUnavailable when the control plane gave no upload address
   */
  async upload(workspace: Workspace, { position, message }: OutboxRow): Promise<boolean> {
    const { contents, putObject, log, signal } = this.deps;
    const bytes = Buffer.from(contents.read(position));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const whole = { bytes: bytes.length, sha256 };
    const { uploadUrl: url, headers } = await this.ask(workspace, message, whole);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(putTimeoutMs)]);
    try {
      await putObject({ body: Readable.from([bytes]), sizeBytes: bytes.length, url, headers, signal: limit });
    } catch (error) {
      if (!(error instanceof TransferError) || signal.aborted) throw error;
      const { workspaceId } = workspace;
      log.warn('Could not upload message content', { workspaceId, messageId: message.messageId, error });
      return false;
    }
    contents.uploaded(position, sha256);
    return true;
  }

  /** @returns the messages without another attempt */
  failed(rows: readonly OutboxRow[]): OutboxRow[] {
    return rows.filter(({ position }) => this.deps.contents.failed(position) >= maxAttempts);
  }

  private ask(
    { workspaceId, generation, callbackToken }: Workspace,
    { messageId, sessionId }: OutboxRow['message'],
    whole: MessageContentRequest['whole'],
  ): Promise<MessageContentUpload> {
    const body: MessageContentRequest = { generation, sessionId, messageId, whole };
    return this.deps.controlPlane.post({
      path: `/api/workspaces/${workspaceId}/message-content`,
      token: callbackToken,
      body,
      answer: MessageContentUpload,
      timeoutMs: this.deps.timeoutMs,
      signal: this.deps.signal,
    });
  }
}
