import type { ChannelHistory, Follower, Shown } from './channel-history.js';
import type { ChannelViolation } from './check-channels.js';

/** Each follower sees each publication after its beginning once, in order, and none of its own. */
export function* followerViolations({ shown, followers }: ChannelHistory): Generator<ChannelViolation> {
  for (const follower of followers)
    for (const [channel, publications] of Map.groupBy(shown, (each) => each.channel))
      if (follower.channel === channel) yield* violationsIn(follower, channel, publications);
}

function* violationsIn(
  { subscriptionId: about, chatId, wakes, after, watermark, seen }: Follower,
  channel: string,
  publications: readonly Shown[],
): Generator<ChannelViolation> {
  const saw = seen.filter((each) => each.channel === channel).map(({ sequence }) => sequence);
  const times = Map.groupBy(saw, (sequence) => sequence);
  const own = new Set(
    publications.filter(({ publisher }) => publisher === chatId).map(({ sequence }) => sequence),
  );
  const expected = publications
    .map(({ sequence }) => sequence)
    .filter((sequence) => sequence > after && !(wakes && own.has(sequence)));
  const detailOf = (sequences: readonly number[]) => `${channel}: ${sequences.join(' ')}`;

  const missed = expected.filter((sequence) => !times.has(sequence));
  if (missed.length > 0) yield { rule: 'follower_missed', about, detail: detailOf(missed) };
  const twice = [...times].filter(([, { length }]) => length > 1).map(([sequence]) => sequence);
  if (twice.length > 0) yield { rule: 'follower_saw_twice', about, detail: detailOf(twice) };
  const ownSeen = wakes ? saw.filter((sequence) => own.has(sequence)) : [];
  if (ownSeen.length > 0) yield { rule: 'own_publication_matched', about, detail: detailOf(ownSeen) };
  const known = new Set([...expected, ...ownSeen]);
  const more = saw.filter((sequence) => !known.has(sequence));
  if (more.length > 0) yield { rule: 'follower_saw_too_much', about, detail: detailOf(more) };
  // A catch-up and the stream each keep the order; they can run at the same time.
  const parts = [saw.filter((each) => each <= watermark), saw.filter((each) => each > watermark)];
  for (const part of parts) {
    const early = part.filter((sequence, index) => sequence < Math.max(0, ...part.slice(0, index)));
    if (early.length > 0) yield { rule: 'follower_out_of_order', about, detail: detailOf(early) };
  }
}
