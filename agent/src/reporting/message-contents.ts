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

/** Then the message goes without it: those behind it have waited long enough. */
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

/** Brings what a message is too long for to where the control plane wants it, before the message is told. */
export class ContentUpload {
  constructor(private readonly deps: ContentUploadDeps) {}

  /**
   * False when the object was not taken.
   * @throws CallbackRefused | CallbackUnavailable when the control plane did not say where to
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
      log.warn('Content not uploaded', { workspaceId, messageId: message.messageId, error });
      return false;
    }
    contents.uploaded(position, sha256);
    return true;
  }

  /** @returns of which of them it was the last attempt */
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
