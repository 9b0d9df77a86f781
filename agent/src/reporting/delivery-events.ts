import type { CallbackRefused, CallbackUnavailable } from '../control-plane/callback-errors.js';
import type { DeliveryDeps } from './delivery-deps.js';
import type { OutboxRow } from './outbox-message.js';

const pausedText = 'Message delivery is paused until the workspace has a new callback token';

/** Log entries and events of one workspace about messages that are not delivered. */
export class DeliveryEvents {
  constructor(
    private readonly workspaceId: string,
    private readonly deps: Pick<DeliveryDeps, 'outbox' | 'events' | 'log'>,
  ) {}

  unavailable(error: CallbackUnavailable): void {
    this.deps.log.warn('Could not deliver messages', { workspaceId: this.workspaceId, error });
  }

  /** A refused token; only a long pause is an event. */
  pausing(error: CallbackRefused): void {
    this.deps.log.warn(pausedText, { workspaceId: this.workspaceId, error });
  }

  paused(pausedMs: number): void {
    this.report('messages.credential_wait', pausedText, { pausedMs });
  }

  notDelivered(): void {
    const message = 'The control plane does not accept messages. They are kept and sent again.';
    this.report('messages.not_delivered', message, {});
  }

  contentLost(chatSessionId: string, rows: readonly OutboxRow[]): void {
    const message = 'Messages were truncated because their content could not be stored';
    this.report('messages.content_lost', message, { chatSessionId, messageIds: idsOf(rows) });
  }

  chatClosed({ status, code }: CallbackRefused, chatSessionId: string, dropped: number): void {
    const message = 'The chat accepts no more messages. Waiting messages were dropped.';
    this.report('messages.chat_closed', message, { chatSessionId, dropped, status, code });
  }

  dropped({ status, code }: CallbackRefused, chatSessionId: string, rows: readonly OutboxRow[]): void {
    const message = 'The control plane refused messages. They were dropped.';
    this.report('messages.refused', message, { chatSessionId, messageIds: idsOf(rows), status, code });
  }

  private report(type: string, message: string, extra: Readonly<Record<string, unknown>>): void {
    const { workspaceId } = this;
    const detail = { waiting: this.deps.outbox.count(workspaceId), ...extra };
    this.deps.log.error(message, { workspaceId, ...detail });
    this.deps.events.add({ workspaceId, level: 'error', type, message, detail });
  }
}

function idsOf(rows: readonly OutboxRow[]): string[] {
  return rows.map(({ message }) => message.messageId);
}
