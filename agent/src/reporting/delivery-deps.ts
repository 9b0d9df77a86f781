import type { ControlPlane } from '../control-plane/control-plane.js';
import type { Log } from '../shared/log.js';
import type { uploadObject } from '../snapshots/object-transfer.js';
import type { EventStore } from '../store/event-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { PiggybackedActivity } from './activity.js';
import type { FailureLimits } from './delivery-failures.js';
import type { BatchLimits, MessageOutbox } from './message-outbox.js';

export interface DeliverySettings extends FailureLimits {
  readonly batch: BatchLimits;
  /** How long a message may wait for a fuller batch. */
  readonly batchWaitMs: number;
  readonly timeoutMs: number;
  readonly authRenewalWaitMs: number;
}

export interface DeliveryDeps {
  readonly outbox: MessageOutbox;
  readonly find: (workspaceId: string) => Workspace | null;
  readonly controlPlane: Pick<ControlPlane, 'post' | 'isStopped'>;
  readonly putObject: typeof uploadObject;
  /** The activity to send with messages of this chat. */
  readonly takePiggyback: (workspaceId: string, chatSessionId: string) => PiggybackedActivity;
  readonly events: Pick<EventStore, 'add'>;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
}
