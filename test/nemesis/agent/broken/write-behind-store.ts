import {
  type Delivery,
  type DeliveryKey,
  ReceiptStore as RealStore,
  type Receipt,
} from '../../../../agent/src/agent-sessions/receipt-store.js';

/** Set by whoever builds the broken agent: when a claimed receipt reaches the disk. */
declare const berthBroken: 'after_the_turn' | 'some_time_later';

const laterMs = 700;

/**
 * Keeps receipts in memory and writes them when it is too late: after the harness was called and has answered, or some
 * time later, as a disk does that nobody told to sync. Within one life of the agent nobody notices.
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
