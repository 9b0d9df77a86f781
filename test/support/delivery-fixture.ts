import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { CallbackRefused, CallbackUnavailable } from '../../agent/src/control-plane/callback-errors.js';
import type { ControlPlane } from '../../agent/src/control-plane/control-plane.js';
import { noPiggyback, type PiggybackedActivity } from '../../agent/src/reporting/activity.js';
import type { DeliverySettings } from '../../agent/src/reporting/delivery-deps.js';
import { MessageDeliveries } from '../../agent/src/reporting/message-deliveries.js';
import { MessageOutbox } from '../../agent/src/reporting/message-outbox.js';
import { Log } from '../../agent/src/shared/log.js';
import { TransferError, type uploadObject } from '../../agent/src/snapshots/object-transfer.js';
import type { NewEvent } from '../../agent/src/store/event-store.js';
import type {
  ConversationMessage,
  MessageBatch,
  MessageContentRequest,
} from '../../protocol/agent-callbacks.js';
import { AgentState, workspaceId } from './agent-state.js';

export const settings: DeliverySettings = {
  batch: { messages: 5, bytes: 262_144 },
  batchWaitMs: 2_000,
  retryInitialMs: 1_000,
  retryMaxMs: 30_000,
  retryMaxElapsedMs: 300_000,
  timeoutMs: 10_000,
  authRenewalWaitMs: 900_000,
};
const log = new Log({ level: 'error', format: 'json' }, () => undefined);

export type Answer =
  | 'ok'
  /** An older control plane that ignores the activity of a batch. */
  | 'old'
  | 'lost'
  | 'away'
  | 'unauthorized'
  | 'forbidden'
  | 'unlinked'
  | 'stale'
  | 'not_stored'
  | 'invalid'
  | 'too_large'
  | 'full';

const refusals: Partial<Record<Answer, readonly [status: number, code: string]>> = {
  unauthorized: [401, 'NODE_CALLBACK_UNAUTHORIZED'],
  forbidden: [403, 'NODE_CALLBACK_FORBIDDEN'],
  unlinked: [409, 'NOT_LINKED'],
  stale: [410, 'GONE'],
  not_stored: [409, 'CONTENT_NOT_STORED'],
  invalid: [400, 'INVALID_REQUEST'],
  too_large: [413, 'PAYLOAD_TOO_LARGE'],
  full: [409, 'SESSION_MESSAGE_LIMIT_EXCEEDED'],
};

/** Stores each message once, as the control plane does. The test chooses the answers. */
class StubControlPlane {
  readonly isStopped = false;
  /** Hooks before and after a request is stored. */
  latencyMs = 0;
  readonly stored = new Map<string, ConversationMessage[]>();
  readonly requests: {
    readonly token: string;
    readonly ids: string[];
    readonly activity: string | undefined;
  }[] = [];
  answerTo: (batch: MessageBatch, token: string) => Answer = () => 'ok';

  /** Whether the store accepts objects, and the stored ones. */
  storeIsAway = false;
  readonly objects = new Map<string, string>();

  readonly putObject: typeof uploadObject = async ({ body, url }) => {
    await this.pass(undefined);
    if (this.storeIsAway) throw new TransferError(url, 'answered 503 to the upload');
    this.objects.set(url, await text(body));
    await this.pass(undefined);
  };

  readonly post: ControlPlane['post'] = async (callback) => {
    const { body, token = '', path, answer: schema, signal } = callback;
    if (path.endsWith('/message-content')) {
      // The type is that of the code under test.
      const { messageId } = body as MessageContentRequest;
      return schema.parse({ uploadUrl: `https://store.example/${messageId}`, headers: {} });
    }
    // The type is that of the code under test.
    const batch = body as MessageBatch;
    const answer = this.answerTo(batch, token);
    const ids = batch.messages.map(({ messageId }) => messageId);
    this.requests.push({ token, ids, activity: batch.activity?.activity });
    await this.pass(signal);
    if (answer === 'ok' || answer === 'old' || answer === 'lost') this.store(batch);
    await this.pass(signal);
    if (answer === 'lost' || answer === 'away') throw new CallbackUnavailable('no answer');
    const [status, code] = refusals[answer] ?? [];
    if (status !== undefined) throw new CallbackRefused(path, { status, code: code ?? '', reason: 'no' });
    return schema.parse({
      persisted: 0,
      duplicates: 0,
      ...(answer === 'ok' && batch.activity ? { activityTaken: true } : {}),
    });
  };

  get contents(): string[] {
    return [...this.stored.values()].flat().map(({ content }) => content);
  }

  private async pass(signal: AbortSignal | undefined): Promise<void> {
    if (this.latencyMs === 0) return;
    await new Promise<void>((resolve, reject) => {
      setTimeout(resolve, this.latencyMs);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  }

  private store({ messages }: MessageBatch): void {
    expect(new Set(messages.map(({ sessionId }) => sessionId)).size).toBe(1);
    for (const message of messages) {
      const chat = this.stored.get(message.sessionId) ?? [];
      if (!chat.some(({ messageId }) => messageId === message.messageId)) chat.push(message);
      this.stored.set(message.sessionId, chat);
    }
  }
}

/** The deliveries of an agent over one database. `crash` ends them at any point. */
export class DeliveryFixture {
  readonly state = new AgentState();
  readonly controlPlane = new StubControlPlane();
  readonly events: NewEvent[] = [];
  outbox!: MessageOutbox;
  deliveries!: MessageDeliveries;
  /** Sent with each batch of messages. */
  piggyback: PiggybackedActivity = noPiggyback;
  private written = 0;

  constructor() {
    this.begin();
  }

  write(chatSessionId = 'chat', content = `${++this.written}`): void {
    const id = `${chatSessionId}-${content.slice(0, 20)}`;
    this.outbox.write({
      workspaceId,
      chatSessionId,
      messageId: id,
      role: 'assistant',
      content,
      toolMetadata: null,
      origin: null,
      createdAt: new Date().toISOString(),
      isOpen: false,
    });
    this.deliveries.wake(workspaceId, { now: false });
  }

  /** Simulates a kill: a pending request may have arrived, and its answer never does. */
  crash(): void {
    vi.clearAllTimers();
    this.state.reopen();
    this.begin();
  }

  private begin(): void {
    const { state, controlPlane } = this;
    this.outbox = new MessageOutbox(state.database, { messages: 10_000, bytes: 1e9 }, () => undefined);
    this.deliveries = new MessageDeliveries(settings, {
      outbox: this.outbox,
      find: (id) => state.workspaces.find(id),
      controlPlane,
      putObject: controlPlane.putObject,
      takePiggyback: () => this.piggyback,
      events: { add: (event) => this.events.push(event) },
      log,
      now: Date.now,
      random: () => 0,
    });
    this.deliveries.start();
  }
}
