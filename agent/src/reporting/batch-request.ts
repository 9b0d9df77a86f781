import { type MessageBatch, MessageBatchResult } from '../../../protocol/agent-callbacks.js';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { DeliveryParts } from './delivery-parts.js';
import type { OutboxBatch } from './outbox-message.js';

interface BatchRequestParts extends Pick<DeliveryParts, 'rideOf'> {
  readonly controlPlane: Pick<ControlPlane, 'post'>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** One request with messages, and with what their agent does by now where that is still to be told. */
export class BatchRequest {
  constructor(private readonly parts: BatchRequestParts) {}

  /** @throws CallbackRefused | CallbackUnavailable when the messages were not taken */
  async send(workspace: Workspace, batch: OutboxBatch): Promise<void> {
    // Nobody is told of a turn's end before all that it has said.
    const ride = batch.hasMore ? noRide : this.parts.rideOf(workspace.workspaceId, batch.chatSessionId);
    try {
      const { activityTaken } = await this.post(workspace, batch, ride.activity);
      ride.end(activityTaken ? 'taken' : 'left');
    } catch (error) {
      const isRefused = error instanceof CallbackRefused;
      ride.end(isRefused ? 'refused' : 'unanswered');
      // No message is lost for what went with it.
      if (!isRefused || !ride.activity) throw error;
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
    const { controlPlane, timeoutMs, signal } = this.parts;
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
export type RideEnd =
  | 'taken'
  /** The messages were taken, and no activity. */
  | 'left'
  | 'refused'
  /** They may have arrived, or arrive yet. */
  | 'unanswered';

/** What an agent does, on its way with messages of its chat: one request for both. */
export interface Ride {
  /** Undefined when there is nothing to tell. */
  readonly activity: MessageBatch['activity'];
  end(how: RideEnd): void;
}

export const noRide: Ride = { activity: undefined, end: () => undefined };
