import type { Batch, ChannelHistory, ChannelLimits, Follower } from './channel-history.js';
import type { ChannelViolation } from './check-channels.js';

/** Each match of a follower that wakes is in one wake, and each wake prompted its agent once. */
export function* wakeViolations(history: ChannelHistory, limits: ChannelLimits): Generator<ChannelViolation> {
  const batchesOf = Map.groupBy(history.batches, ({ subscriptionId }) => subscriptionId);
  for (const follower of history.followers) {
    const batches = batchesOf.get(follower.subscriptionId) ?? [];
    yield* matchViolations(follower, batches, { history, limits });
    if (batches.length > limits.wakesOfSubscription)
      yield { rule: 'limit_exceeded', about: follower.subscriptionId, detail: `${batches.length} wakes` };
  }
  const chatOf = new Map(history.followers.map(({ subscriptionId, chatId }) => [subscriptionId, chatId]));
  for (const batch of history.batches)
    yield* batchViolations(batch, chatOf.get(batch.subscriptionId), { history, limits });
  yield* cooldownViolations(
    Map.groupBy(history.batches, (batch) => chatOf.get(batch.subscriptionId)),
    limits,
  );
}

interface Known {
  readonly history: ChannelHistory;
  readonly limits: ChannelLimits;
}

function* matchViolations(
  { subscriptionId, wakes, chatId }: Follower,
  batches: readonly Batch[],
  { history: { matches, shown }, limits }: Known,
): Generator<ChannelViolation> {
  const publisherOf = new Map(shown.map(({ eventId, publisher }) => [eventId, publisher]));
  const own = matches.filter((match) => match.subscriptionId === subscriptionId);
  const matched = new Set(own.map(({ eventId }) => eventId));
  for (const { batchId, eventIds } of batches)
    if (eventIds.length === 0 || eventIds.some((eventId) => !matched.has(eventId)))
      yield { rule: 'wake_without_matches', about: batchId, detail: eventIds.join(' ') };
  for (const { eventId, state, reason, batchId } of own) {
    const carrying = batches.filter((batch) => batch.eventIds.includes(eventId));
    const about = `${subscriptionId} ${eventId}`;
    if (carrying.length > (wakes ? 1 : 0))
      yield { rule: 'match_of_two_wakes', about, detail: carrying.map((batch) => batch.batchId).join(' ') };
    if (!wakes) continue;
    if (publisherOf.get(eventId) === chatId)
      yield { rule: 'own_publication_matched', about, detail: 'It has a match' };
    const hasUsedAll = reason === 'wakes_used' && batches.length >= limits.wakesOfSubscription;
    const isCarried = state === 'batch_created' && carrying.some((batch) => batch.batchId === batchId);
    if (!isCarried && !hasUsedAll) yield { rule: 'match_without_wake', about, detail: `${state} ${reason}` };
  }
}

function* batchViolations(
  { batchId: about, eventIds, state }: Batch,
  chatId: string | undefined,
  { history: { prompts, invocations }, limits }: Known,
): Generator<ChannelViolation> {
  const own = prompts.filter(({ deliveryId }) => deliveryId === about);
  const isItsPrompt =
    own.length === 1 && own[0]?.chatId === chatId && isSame(own[0]?.eventIds ?? [], eventIds);
  if (!isItsPrompt) yield { rule: 'wake_without_prompt', about, detail: `${own.length} prompts` };
  const received = invocations.filter((text) => text.includes(`Delivery: ${about}`));
  if (received.length > 1)
    yield { rule: 'wake_prompted_twice', about, detail: `The agent got it ${received.length} times` };
  if (received.length === 0 && state !== 'ambiguous')
    yield { rule: 'wake_without_prompt', about, detail: `The agent got nothing; ${state}` };
  if (received.some((text) => !eventIds.every((eventId) => text.includes(`- ${eventId}\n`))))
    yield { rule: 'wake_without_prompt', about, detail: 'The prompt does not have all events' };
  if (state !== 'delivered' && state !== 'acked' && state !== 'ambiguous')
    yield { rule: 'wake_not_settled', about, detail: state };
  if (eventIds.length > limits.eventsOfBatch)
    yield { rule: 'limit_exceeded', about, detail: `${eventIds.length} events` };
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((each, index) => each === others[index]);

function* cooldownViolations(
  batchesOfChat: ReadonlyMap<string | undefined, readonly Batch[]>,
  { cooldownMs }: ChannelLimits,
): Generator<ChannelViolation> {
  for (const batches of batchesOfChat.values()) {
    const times = batches.toSorted((one, other) => one.createdAt - other.createdAt);
    for (const [index, { batchId: about, createdAt }] of times.entries()) {
      const pause = createdAt - (times[index - 1]?.createdAt ?? 0);
      if (pause < cooldownMs)
        yield { rule: 'limit_exceeded', about, detail: `Woken again after ${pause} ms` };
    }
  }
}
