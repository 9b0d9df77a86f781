import type { DeliveryState, Prompt } from './prompt.js';

/** How long a reader has to say that it was read, where that is asked for. */
export const ackTimeoutMs = 5 * 60_000;
/** How often it is delivered again before nobody waits for the word any more. */
export const maxRedeliveries = 5;

/** By when a delivered prompt has to be acknowledged; null of one that has not, or was. */
export function ackDueOf({
  deliveryState,
  ackRequired,
  ackTimeoutMs: given,
  deliveredAt,
}: Pick<Prompt, 'deliveryState' | 'ackRequired' | 'ackTimeoutMs' | 'deliveredAt'>): string | null {
  if (deliveryState !== 'delivered' || !ackRequired || deliveredAt === null) return null;
  return new Date(Date.parse(deliveredAt) + (given ?? ackTimeoutMs)).toISOString();
}

/**
 * How a delivery is shown: what the node took and its agent may never have seen is ambiguous, unless it was read; what it
 * certainly never saw has failed.
 */
export function shownState({
  deliveryState,
  receiptState,
  terminalReason,
}: Pick<Prompt, 'deliveryState' | 'receiptState' | 'terminalReason'>): DeliveryState {
  if (deliveryState !== 'delivered') return deliveryState;
  if (terminalReason === 'never_invoked') return 'failed';
  return receiptState === 'ambiguous' ? 'ambiguous' : deliveryState;
}
