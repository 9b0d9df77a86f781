import type { Table } from '../../shared/table.js';
import type { ProjectEvent } from '../project-events/project-event.js';
import { recordChange } from '../records/record-change.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { type EventMatch, matchIdOf, matchItem, pointerItem } from './event-match.js';
import { EventSubscription, subscriptionKey } from './event-subscription.js';
import { wakeDueChange } from './wake-due.js';

interface Matched {
  readonly event: ProjectEvent;
  readonly now: Date;
}

const retries = { attempts: 8, message: 'The subscription changed at the same time. Try again.' };

/**
 * Records an event for a subscription, once, if it is active. Returns false when it is not, and
 * true also for a repeat. One table call, and one for each concurrent change of the subscription.
 */
export const recordMatch = (
  table: Table,
  subscription: EventSubscription,
  matched: Matched,
): Promise<boolean> =>
  retryOnConflict<EventSubscription, boolean>(subscription, retries, (seen) => attempt(table, seen, matched));

async function attempt(
  table: Table,
  seen: EventSubscription,
  matched: Matched,
): Promise<Attempt<EventSubscription, boolean>> {
  if (seen.state !== 'active') return { result: false };
  const { event, now } = matched;
  const outcome = await transact(table, matchWrites(seen, { events: [event], now }));
  if (outcome.committed) return { result: true };
  const [subscription, pointer] = outcome.refusals;
  if (pointer?.failed) return { result: true };
  // Its retention has ended.
  if (!subscription?.item) return { result: false };
  return { met: EventSubscription.parse(subscription.item) };
}

interface MatchedTogether {
  readonly events: readonly ProjectEvent[];
  readonly now: Date;
}

/**
 * Matches as the writes of a transaction, for just this version of the subscription: a wake since
 * then may have cleared `wakeDueAt`, and these matches have to set it again. First the
 * subscription, then of each event the pointer, which exists when the event was matched before, and
 * the match.
 */
export function matchWrites(seen: EventSubscription, { events, now }: MatchedTogether): readonly Write[] {
  const change = recordChange<EventSubscription>(subscriptionKey(seen.subscriptionId), {
    set: { matchCount: seen.matchCount + events.length, lastMatchedAt: now.toISOString() },
    when: { equals: { state: 'active', version: seen.version } },
    now,
  });
  const update = { ...change, set: { ...change.set, ...wakeDueChange(seen, now) } };
  const matches = events.map((event, index) =>
    newMatch({ ...seen, matchCount: seen.matchCount + index }, event, now),
  );
  return [{ update }, ...matches.flatMap(newMatchWrites)];
}

function newMatchWrites(match: EventMatch): readonly Write[] {
  const { matchId: deliveryId, subscriptionId, projectId, ownerId, sequence, matchedAt } = match;
  const pointer = pointerItem({ deliveryId, subscriptionId, projectId, ownerId, sequence }, matchedAt);
  return [
    { put: pointer, when: { exists: false } },
    { put: matchItem(match), when: { exists: false } },
  ];
}

function newMatch(subscription: EventSubscription, { eventId }: ProjectEvent, now: Date): EventMatch {
  const { subscriptionId, projectId, owner, requestedDelivery, resolvedDelivery, matchCount } = subscription;
  const isWaiting = resolvedDelivery === 'queued_for_prompt_delivery';
  return {
    matchId: matchIdOf(subscriptionId, eventId),
    sequence: matchCount + 1,
    subscriptionId,
    projectId,
    ownerId: owner.id,
    eventId,
    state: isWaiting ? 'matched' : 'recorded_not_injected',
    batchId: null,
    reason: null,
    requestedDelivery,
    resolvedDelivery,
    matchedAt: now.toISOString(),
    acknowledgedAt: null,
    acknowledgedBy: null,
    updatedAt: now.toISOString(),
  };
}
