import type { DeliveryDeps, DeliverySettings } from './delivery-deps.js';
import { MessageDelivery } from './message-delivery.js';

/** How long the removal of a workspace waits for its last messages. */
const lastFlushMs = 3_000;

/** The deliveries of all workspaces. */
export class MessageDeliveries implements AsyncDisposable {
  private readonly deliveries = new Map<string, MessageDelivery>();

  constructor(
    private readonly settings: DeliverySettings,
    private readonly deps: DeliveryDeps,
  ) {}

  /** Continues deliveries that an earlier run of the agent left. */
  start(): void {
    for (const workspaceId of this.deps.outbox.reconcileOnStart()) this.wake(workspaceId, { now: true });
  }

  wake(workspaceId: string, how: { readonly now: boolean }): void {
    this.of(workspaceId).wake(how);
  }

  /** Tries to send the last messages, then drops what is left. */
  async removeWorkspace(workspaceId: string): Promise<void> {
    const delivery = this.of(workspaceId);
    if (this.deps.outbox.count(workspaceId) > 0) await within(lastFlushMs, delivery.flush());
    this.deliveries.delete(workspaceId);
    await delivery[Symbol.asyncDispose]();
    this.deps.outbox.removeWorkspace(workspaceId);
  }

  /** Tries once more to send all messages, then ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    const deliveries = [...this.deliveries.values()];
    await within(this.settings.timeoutMs, Promise.all(deliveries.map((delivery) => delivery.flush())));
    await Promise.all(deliveries.map((delivery) => delivery[Symbol.asyncDispose]()));
  }

  private of(workspaceId: string): MessageDelivery {
    const found = this.deliveries.get(workspaceId);
    if (found) return found;
    const delivery = new MessageDelivery(workspaceId, this.settings, this.deps);
    this.deliveries.set(workspaceId, delivery);
    return delivery;
  }
}

/** Ignores failures: messages stay in the outbox. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise, work.catch(() => undefined)]);
  clearTimeout(timer);
}
