import { type MessageBatch, MessageBatchResult } from '../../../protocol/agent-callbacks.js';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Workspace } from '../workspaces/workspace.js';
import { noPiggyback } from './activity.js';
import type { DeliveryDeps } from './delivery-deps.js';
import type { OutboxBatch } from './outbox-message.js';

interface BatchRequestDeps extends Pick<DeliveryDeps, 'takePiggyback'> {
  readonly controlPlane: Pick<ControlPlane, 'post'>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Sends one batch of messages, with the waiting activity of their agent. */
export class BatchRequest {
  constructor(private readonly deps: BatchRequestDeps) {}

  /** @throws CallbackRefused | CallbackUnavailable when the messages were not stored */
  async send(workspace: Workspace, batch: OutboxBatch): Promise<void> {
    // The end of a turn is reported with the last of its messages.
    const piggyback = batch.hasMore
      ? noPiggyback
      : this.deps.takePiggyback(workspace.workspaceId, batch.chatSessionId);
    try {
      const { activityTaken } = await this.post(workspace, batch, piggyback.activity);
      piggyback.end(activityTaken ? 'taken' : 'left');
    } catch (error) {
      const isRefused = error instanceof CallbackRefused;
      piggyback.end(isRefused ? 'refused' : 'unanswered');
      // The activity may be what was refused. Send the messages without it.
      if (!isRefused || !piggyback.activity) throw error;
      await this.post(workspace, batch, undefined);
    }
  }

  private post(
    { workspaceId, generation, callbackToken }: Workspace,
    { streamId, rows }: OutboxBatch,
    activity: MessageBatch['activity'],
  ): Promise<MessageBatchResult> {
    const messages = rows.map(({ message }) => message);
    const body: MessageBatch = { generation, streamId, messages, ...(activity ? { activity } : {}) };
    const { controlPlane, timeoutMs, signal } = this.deps;
    return controlPlane.post({
      path: `/api/workspaces/${workspaceId}/messages`,
      token: callbackToken,
      body,
      answer: MessageBatchResult,
      timeoutMs,
      signal,
    });
  }
}
