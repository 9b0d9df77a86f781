import { type MessageBatch, MessageBatchResult } from '../../../protocol/agent-callbacks.js';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { DeliveryDeps } from './delivery-deps.js';
import type { OutboxBatch } from './outbox-message.js';

interface BatchRequestDeps extends Pick<DeliveryDeps, 'takePiggyback'> {
  readonly controlPlane: Pick<ControlPlane, 'post'>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** One request with messages, and with what their agent does by now where that is still to be told. */
export class BatchRequest {
  constructor(private readonly deps: BatchRequestDeps) {}

  /** @throws CallbackRefused | CallbackUnavailable when the messages were not taken */
  async send(workspace: Workspace, batch: OutboxBatch): Promise<void> {
    // Nobody is told of a turn's end before all that it has said.
    const piggyback = batch.hasMore
      ? noPiggyback
      : this.deps.takePiggyback(workspace.workspaceId, batch.chatSessionId);
    try {
      const { activityTaken } = await this.post(workspace, batch, piggyback.activity);
      piggyback.end(activityTaken ? 'taken' : 'left');
    } catch (error) {
      const isRefused = error instanceof CallbackRefused;
      piggyback.end(isRefused ? 'refused' : 'unanswered');
      // No message is lost for what went with it.
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

/** What became of messages, and of the activity that went with them. */
export type PiggybackResult =
  | 'taken'
  /** The messages were taken, and no activity. */
  | 'left'
  | 'refused'
  /** They may have arrived, or arrive yet. */
  | 'unanswered';

/** What an agent does, on its way with messages of its chat: one request for both. */
export interface PiggybackedActivity {
  /** Undefined when there is nothing to tell. */
  readonly activity: MessageBatch['activity'];
  end(how: PiggybackResult): void;
}

export const noPiggyback: PiggybackedActivity = { activity: undefined, end: () => undefined };
