import {
  type Delivery,
  type DeliveryKey,
  ReceiptStore as RealStore,
  type Receipt,
} from '../../../../agent/src/agent-sessions/receipt-store.js';

/** Defined by the build: when a claimed receipt is written to disk. */
declare const berthBroken: 'after_the_turn' | 'some_time_later';

const laterMs = 700;

/**
 * A broken store that writes receipts too late: after the turn, or some time later, like a disk
 * without sync. Only a restart of the agent reveals it.
 */
export class ReceiptStore extends RealStore {
  private readonly unwritten = new Map<string, Receipt>();

  override find(key: DeliveryKey): Receipt | null {
    return this.unwritten.get(nameOf(key)) ?? super.find(key);
  }

  override claim(delivery: Delivery): boolean {
    const known = this.find(delivery);
    if (known && known.state !== 'accepted') return false;
    this.unwritten.set(nameOf(delivery), {
      ...delivery,
      state: 'in_flight',
      runtimeIdentity: this.runtimeIdentity,
      stopReason: null,
      errorCode: null,
      acceptedAt: Date.now(),
      completedAt: null,
    });
    if (berthBroken === 'some_time_later') setTimeout(() => this.write(delivery), laterMs).unref();
    return true;
  }

  override complete(key: DeliveryKey, end: Parameters<RealStore['complete']>[1]): boolean {
    if (berthBroken === 'after_the_turn') this.write(key);
    const receipt = this.unwritten.get(nameOf(key));
    if (receipt) this.unwritten.set(nameOf(key), { ...receipt, state: 'completed', completedAt: Date.now() });
    return super.complete(key, end);
  }

  private write(key: DeliveryKey): void {
    const receipt = this.unwritten.get(nameOf(key));
    if (!receipt) return;
    this.unwritten.delete(nameOf(key));
    super.claim(receipt);
    if (receipt.state === 'completed') super.complete(key, { stopReason: 'end_turn', errorCode: null });
  }
}

function nameOf({ sessionId, deliveryId }: DeliveryKey): string {
  return `${sessionId}/${deliveryId}`;
}
