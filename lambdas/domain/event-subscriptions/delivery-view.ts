import type { deliveryStates, EventBatch } from './event-batch.js';
import type { EventMatch } from './event-match.js';

type DeliveryState = (typeof deliveryStates)[number];

const millis = (at: string): number => Date.parse(at);
const millisOrNull = (at: string | null): number | null => (at === null ? null : Date.parse(at));

/** The delivery of an event of a subscription: its batch, or the match itself. */
export interface Delivery {
  readonly match: EventMatch;
  readonly batch: EventBatch | undefined;
}

/** The state of a match as its own pull delivery. */
export function pullState({ state, acknowledgedAt, resolvedDelivery }: EventMatch): DeliveryState {
  if (acknowledgedAt !== null) return 'acked';
  if (state === 'expired' || state === 'cancelled') return state;
  const isRefused = resolvedDelivery !== 'record_only' && state === 'recorded_not_injected';
  return isRefused ? 'recorded_not_injected' : 'pending';
}

/** As its owner sees it beside an event. */
export function ownDeliveryView({ match, batch }: Delivery) {
  const { subscriptionId, requestedDelivery, resolvedDelivery, acknowledgedAt } = match;
  const shown = batch
    ? { id: batch.batchId, state: batch.state, createdAt: batch.createdAt }
    : { id: match.matchId, state: pullState(match), createdAt: match.matchedAt };
  return {
    ...{ id: shown.id, subscriptionId, state: shown.state, ackRequired: true },
    ...{ requestedDelivery, resolvedDelivery },
    createdAt: millis(shown.createdAt),
    deliveredAt: millisOrNull(batch ? batch.deliveredAt : acknowledgedAt),
    acknowledgedAt: millisOrNull(batch ? batch.acknowledgedAt : acknowledgedAt),
  };
}

/** An acknowledged delivery with its events. */
export const acknowledgedView = (delivery: EventMatch | EventBatch) => {
  const eventIds = 'eventIds' in delivery ? delivery.eventIds : [delivery.eventId];
  const [eventId = null] = eventIds;
  return { ...transportView(delivery), subscriptionId: delivery.subscriptionId, eventId, eventIds };
};

/** A transport outcome, for members. */
export function transportView(delivery: EventMatch | EventBatch) {
  const { requestedDelivery, resolvedDelivery, updatedAt, acknowledgedAt } = delivery;
  const own = 'matchId' in delivery ? outcomeOfMatch(delivery) : outcomeOfBatch(delivery);
  return {
    ...own,
    ...{ requestedDelivery, resolvedDelivery },
    updatedAt: millis(updatedAt),
    ackedAt: millisOrNull(acknowledgedAt),
  };
}

const outcomeOfBatch = (batch: EventBatch) => ({
  ...{ id: batch.batchId, state: batch.state, deliveryChannel: 'prompt_queue' as const },
  deliveredVia: batch.deliveredAt === null ? null : 'prompt_queue',
  createdAt: millis(batch.createdAt),
  deliveredAt: millisOrNull(batch.deliveredAt),
  terminalAt: millisOrNull(batch.terminalAt),
  terminalReason: batch.terminalReason,
});

const outcomeOfMatch = (match: EventMatch) => ({
  ...{ id: match.matchId, state: pullState(match), deliveryChannel: 'pull' as const },
  deliveredVia: match.acknowledgedAt === null ? null : 'pull',
  createdAt: millis(match.matchedAt),
  deliveredAt: millisOrNull(match.acknowledgedAt),
  terminalAt: millisOrNull(match.acknowledgedAt),
  terminalReason: match.reason,
});
