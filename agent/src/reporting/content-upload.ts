import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type MessageContentRequest, MessageContentUpload } from '../../../protocol/agent-callbacks.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Log } from '../shared/log.js';
import { TransferError, type uploadObject } from '../snapshots/object-transfer.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { MessageContents } from './message-contents.js';
import type { OutboxRow } from './outbox-message.js';

/** Then the message goes without it: those behind it have waited long enough. */
const maxAttempts = 4;
const putTimeoutMs = 30_000;

export interface ContentUploadParts {
  readonly contents: MessageContents;
  readonly controlPlane: Pick<ControlPlane, 'post'>;
  readonly putObject: typeof uploadObject;
  readonly log: Log;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Brings what a message is too long for to where the control plane wants it, before the message is told. */
export class ContentUpload {
  constructor(private readonly parts: ContentUploadParts) {}

  /**
   * False when the object was not taken.
   * @throws CallbackRefused | CallbackUnavailable when the control plane did not say where to
   */
  async upload(workspace: Workspace, { position, message }: OutboxRow): Promise<boolean> {
    const { contents, putObject, log, signal } = this.parts;
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
    return rows.filter(({ position }) => this.parts.contents.failed(position) >= maxAttempts);
  }

  private ask(
    { workspaceId, generation, callbackToken }: Workspace,
    { messageId, sessionId }: OutboxRow['message'],
    whole: MessageContentRequest['whole'],
  ): Promise<MessageContentUpload> {
    const body: MessageContentRequest = { generation, sessionId, messageId, whole };
    return this.parts.controlPlane.post({
      path: `/api/workspaces/${workspaceId}/message-content`,
      token: callbackToken,
      body,
      answer: MessageContentUpload,
      timeoutMs: this.parts.timeoutMs,
      signal: this.parts.signal,
    });
  }
}
