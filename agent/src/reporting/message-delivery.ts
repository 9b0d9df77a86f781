import { CallbackRefused, CallbackUnavailable } from '../control-plane/callback-errors.js';
import { SingleFlight } from '../shared/single-flight.js';
import type { Workspace } from '../workspaces/workspace.js';
import { BatchRequest } from './batch-request.js';
import type { DeliveryDeps, DeliverySettings } from './delivery-deps.js';
import { DeliveryEvents } from './delivery-events.js';
import { decideRefusal, FailureSpan, TokenHold } from './delivery-failures.js';
import { ContentUpload } from './message-contents.js';
import type { OutboxBatch, OutboxRow } from './outbox-message.js';

const tokenCheckMs = 1_000;
/** Limits a workspace to four requests a second, however much its agents write. */
const minIntervalMs = 250;
export const omittedContent = '[message omitted: exceeded message transport limit]';

/** Sends the messages of one workspace in order, one request at a time, until confirmed. */
export class MessageDelivery {
  private timer: NodeJS.Timeout | null = null;
  private readonly running = new SingleFlight();
  private isUrgent = false;
  private isFlushing = false;
  private deliveredAt = 0;
  private readonly failures: FailureSpan;
  private readonly hold: TokenHold;
  /** Messages of a refused batch that are still to be sent one by one. */
  private oneByOne = 0;
  private readonly ended = new AbortController();
  private readonly content: ContentUpload;
  private readonly request: BatchRequest;
  private readonly events: DeliveryEvents;

  constructor(
    private readonly workspaceId: string,
    private readonly settings: DeliverySettings,
    private readonly deps: DeliveryDeps,
  ) {
    this.failures = new FailureSpan(settings, deps.now);
    this.hold = new TokenHold(settings.authRenewalWaitMs, deps.now);
    const { timeoutMs } = settings;
    const { signal } = this.ended;
    this.content = new ContentUpload({ ...deps, contents: deps.outbox.contents, timeoutMs, signal });
    this.request = new BatchRequest({ ...deps, timeoutMs, signal });
    this.events = new DeliveryEvents(workspaceId, deps);
  }

  wake({ now }: { readonly now: boolean }): void {
    this.isUrgent ||= now;
    // The backoff after a failure is not shortened.
    if (!this.failures.isFailing && !this.hold.isHolding) this.schedule(0);
  }

  /** Sends waiting messages at once. Failed ones stay in the outbox. */
  async flush(): Promise<void> {
    this.isUrgent = true;
    this.isFlushing = true;
    if (!this.failures.isFailing && !this.hold.isHolding) await this.run();
    this.isFlushing = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    this.stopTimer();
    await this.running.current?.catch(() => undefined);
  }

  private schedule(delayMs: number): void {
    if (this.ended.signal.aborted) return;
    this.stopTimer();
    this.timer = setTimeout(() => {
      this.run().catch((error: unknown) => {
        this.deps.log.error('Message delivery failed unexpectedly', { workspaceId: this.workspaceId, error });
        this.backOff();
      });
    }, delayMs);
  }

  private run(): Promise<void> {
    return this.running.run(() => this.deliver());
  }

  private async deliver(): Promise<void> {
    while (!this.ended.signal.aborted && !this.deps.controlPlane.isStopped)
      if (!(await this.deliverNext())) return;
  }

  /** Returns false when nothing is due or delivery has to pause. */
  private async deliverNext(): Promise<boolean> {
    const workspace = this.deps.find(this.workspaceId);
    if (!workspace || this.isHeld(workspace)) return false;
    const batch = this.nextBatch();
    return batch !== null && this.attempt(workspace, batch);
  }

  /** Null when nothing is due. Schedules the next attempt. */
  private nextBatch(): OutboxBatch | null {
    const { batch: limits, batchWaitMs } = this.settings;
    const messages = this.oneByOne > 0 ? 1 : limits.messages;
    const batch = this.deps.outbox.next(this.workspaceId, { ...limits, messages });
    const oldest = batch?.rows[0];
    if (!batch || !oldest) {
      this.isUrgent = false;
      return null;
    }
    const isDue = batch.rows.length >= messages || this.isUrgent;
    const waitMs = isDue ? 0 : Date.parse(oldest.createdAt) + batchWaitMs - this.deps.now();
    const pauseMs = this.isFlushing ? 0 : this.deliveredAt + minIntervalMs - this.deps.now();
    const delayMs = Math.min(Math.max(waitMs, pauseMs), batchWaitMs);
    if (delayMs <= 0) return batch;
    this.schedule(delayMs);
    return null;
  }

  /** Returns false when delivery has to pause. */
  private async attempt(workspace: Workspace, batch: OutboxBatch): Promise<boolean> {
    const [first] = batch.rows;
    try {
      if (first?.awaitsUpload)
        return (await this.content.upload(workspace, first)) || this.contentFailed(batch);
      await this.request.send(workspace, batch);
      this.done(batch.rows);
      return true;
    } catch (error) {
      if (error instanceof CallbackRefused) return this.refused(error, workspace, batch);
      if (!(error instanceof CallbackUnavailable)) return false;
      this.events.unavailable(error);
      this.backOff();
      return false;
    }
  }

  private contentFailed(batch: OutboxBatch): boolean {
    const lost = this.content.failed(batch.rows);
    if (lost.length > 0) return this.sendTruncated({ ...batch, rows: lost });
    this.backOff();
    return false;
  }

  /** Content that cannot be stored must not block later messages. */
  private sendTruncated({ chatSessionId, rows }: OutboxBatch): boolean {
    for (const { position } of rows) this.deps.outbox.contents.giveUp(position);
    this.events.contentLost(chatSessionId, rows);
    return true;
  }

  private done(rows: readonly OutboxRow[]): void {
    this.deps.outbox.remove(rows);
    this.deliveredAt = this.deps.now();
    this.failures.clear();
    this.hold.clear();
    this.oneByOne = Math.max(0, this.oneByOne - rows.length);
  }

  private refused(error: CallbackRefused, workspace: Workspace, batch: OutboxBatch): boolean {
    const [first] = batch.rows;
    const isOmitted = first?.message.content === omittedContent;
    const awaitsUpload = first?.awaitsUpload ?? false;
    switch (decideRefusal(error, { count: batch.rows.length, isOmitted, awaitsUpload })) {
      case 'hold':
        return this.holdFor(workspace, error);
      case 'close_chat':
        return this.closeChat(batch.chatSessionId, error);
      case 'upload_again':
        return this.contentFailed(batch);
      case 'send_truncated':
        return this.sendTruncated(batch);
      case 'one_by_one':
        this.oneByOne = batch.rows.length;
        return true;
      case 'omit':
        if (first) this.deps.outbox.replaceContent(first, omittedContent);
        return true;
      case 'drop':
        return this.drop(batch, error);
      case 'retry':
        return this.retryOrDrop(batch, error);
    }
  }

  private holdFor({ callbackToken }: Workspace, error: CallbackRefused): boolean {
    if (!this.hold.begin(callbackToken, this.deps.find(this.workspaceId)?.callbackToken)) return true;
    this.events.pausing(error);
    this.schedule(tokenCheckMs);
    return false;
  }

  private isHeld({ callbackToken }: Workspace): boolean {
    if (!this.hold.holds(callbackToken)) return false;
    const pausedMs = this.hold.takeReport();
    if (pausedMs !== null) this.events.paused(pausedMs);
    this.schedule(tokenCheckMs);
    return true;
  }

  private closeChat(chatSessionId: string, error: CallbackRefused): boolean {
    const dropped = this.deps.outbox.closeChat(this.workspaceId, chatSessionId);
    this.events.chatClosed(error, chatSessionId, dropped);
    return true;
  }

  private drop({ chatSessionId, rows }: OutboxBatch, error: CallbackRefused): boolean {
    this.done(rows);
    this.events.dropped(error, chatSessionId, rows);
    return true;
  }

  private retryOrDrop(batch: OutboxBatch, error: CallbackRefused): boolean {
    if (this.failures.isLong) return this.drop(batch, error);
    this.backOff();
    return false;
  }

  private backOff(): void {
    const delayMs = this.failures.add();
    if (this.failures.takeReport()) this.events.notDelivered();
    this.schedule(delayMs * (1 + this.deps.random() / 2));
  }

  private stopTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
