import { describe, expect, it } from 'vitest';
import {
  type Batch,
  type ChannelHistory,
  emptyChannelHistory,
  type Follower,
  type Match,
  type Sent,
  type Shown,
} from '../../nemesis/cloud/channels/channel-history.js';
import { checkChannels } from '../../nemesis/cloud/channels/check-channels.js';

const limits = {
  ...{ publicationsPerMinute: 10, wakesOfSubscription: 2, eventsOfBatch: 3, cooldownMs: 30_000 },
};
const channel = 'gates';
const at = 1_800_000_000_000;

/** Publications 1 to 4, of which the third is the follower's own. */
const shown: readonly Shown[] = [1, 2, 3, 4].map((sequence) => ({
  channel,
  sequence,
  eventId: `e${sequence}`,
  message: `m${sequence}`,
  publisher: sequence === 3 ? 'watcher' : 'writer',
  receivedAt: at + sequence,
}));
const sent = shown.map(
  ({ eventId, sequence, ...each }): Sent => ({ ...each, acknowledged: [{ eventId, sequence }] }),
);
const seeing = (...sequences: number[]) =>
  sequences.map((sequence) => ({ channel, sequence, eventId: `e${sequence}` }));

const follower: Follower = {
  ...{ subscriptionId: 's', chatId: 'watcher', wakes: true, channel, after: 0, watermark: 2 },
  seen: seeing(1, 2, 4),
};
const match = (eventId: string, batchId: string): Match => ({
  ...{ subscriptionId: 's', eventId, state: 'batch_created', reason: null, batchId },
});
const batch = (batchId: string, eventIds: readonly string[], createdAt: number): Batch => ({
  ...{ batchId, subscriptionId: 's', eventIds, state: 'delivered', createdAt },
});
const matches = [match('e1', 'b1'), match('e2', 'b1'), match('e4', 'b2')];
const batches = [batch('b1', ['e1', 'e2'], at), batch('b2', ['e4'], at + 30_000)];
const promptsOf = (of: readonly Batch[]) =>
  of.map(({ batchId: deliveryId, eventIds }) => ({ deliveryId, chatId: 'watcher', eventIds }));
const textOf = ({ batchId, eventIds }: Batch) =>
  [`Delivery: ${batchId}`, 'Events:', ...eventIds.map((id) => `- ${id}`), 'Read each event.'].join('\n');

/** A history without a fault, with what a test breaks. */
const history = (change: Partial<ChannelHistory> = {}): ChannelHistory => ({
  ...emptyChannelHistory(),
  ...{ sent, shown, followers: [follower], matches, batches, prompts: promptsOf(batches) },
  readings: [{ channel, watermark: 2, sequences: [1, 2], retentionGap: false }],
  invocations: batches.map(textOf),
  ...change,
});
const rules = (change: Partial<ChannelHistory> = {}) => [
  ...new Set(checkChannels(history(change), limits).violations.map(({ rule }) => rule)),
];
const withFollower = (change: Partial<Follower>) => rules({ followers: [{ ...follower, ...change }] });
const withWakes = (changed: readonly Batch[], more: Partial<ChannelHistory> = {}) =>
  rules({ batches: changed, prompts: promptsOf(changed), invocations: changed.map(textOf), ...more });
const acknowledging = (...acknowledged: { eventId: string; sequence: number }[]) =>
  sent.with(0, { channel, message: 'm1', publisher: 'writer', acknowledged });

it('accepts a run in which each publication was seen and woke once', () => {
  expect(rules()).toEqual([]);
});

it('accepts that a recording follower sees its own publications', () => {
  const recording = { ...follower, wakes: false, seen: seeing(1, 2, 3, 4) };
  const recorded = (eventId: string): Match => ({
    ...{ subscriptionId: 's', eventId, state: 'recorded_not_injected', reason: null, batchId: null },
  });
  const records = { matches: ['e1', 'e2', 'e3', 'e4'].map(recorded), batches: [], prompts: [] };
  expect(rules({ followers: [recording], ...records, invocations: [] })).toEqual([]);
});

it('accepts live publications before the end of a catch-up', () => {
  expect(withFollower({ seen: seeing(4, 1, 2) })).toEqual([]);
});

it('accepts matches without a wake after the last wake of a subscription', () => {
  const more = { ...match('e4', ''), state: 'recorded_not_injected', reason: 'wakes_used', batchId: null };
  const split = [batch('b1', ['e1'], at), batch('b2', ['e2'], at + 30_000)];
  const of = { matches: [match('e1', 'b1'), match('e2', 'b2'), more] };
  expect(withWakes(split, of)).toEqual([]);
});

describe('a publication', () => {
  it('that was acknowledged and is not in the history is lost', () => {
    expect(rules({ shown: shown.slice(0, 3), followers: [], matches: [], batches: [] })).toEqual([
      'publication_lost',
    ]);
    expect(rules({ sent: acknowledging({ eventId: 'e0', sequence: 1 }) })).toEqual(['publication_lost']);
  });

  it('that is in the history twice, or has two acknowledgements, is reported', () => {
    const again = { ...shown[0], sequence: 5, eventId: 'e5' } as Shown;
    expect(rules({ shown: [...shown, again], followers: [] })).toContain('published_twice');
    const both = acknowledging({ eventId: 'e1', sequence: 1 }, { eventId: 'e9', sequence: 9 });
    expect(rules({ sent: both })).toEqual(['published_twice']);
  });

  it('that was refused must not be in the history', () => {
    expect(rules({ refused: ['m2'] })).toEqual(['published_though_refused']);
  });

  it('keeps the order of its publisher', () => {
    expect(rules({ sent: sent.toReversed() })).toEqual(['publisher_out_of_order']);
  });

  it('does not exceed the rate of the project', () => {
    const { violations } = checkChannels(history(), { ...limits, publicationsPerMinute: 3 });
    expect(violations.map(({ rule }) => rule)).toEqual(['limit_exceeded']);
  });
});

describe('the history', () => {
  it('has no gap and one order', () => {
    const first = shown.filter(({ sequence }) => sequence !== 2);
    const second = shown.toReversed();
    expect(rules({ shown: first, followers: [] })).toContain('history_gap');
    expect(rules({ shown: second, followers: [] })).toContain('history_gap');
  });

  it('that was read while others published has all up to its watermark', () => {
    const reading = { channel, watermark: 3, sequences: [1, 2, 3], retentionGap: false };
    expect(rules({ readings: [{ ...reading, sequences: [1, 2] }] })).toEqual(['history_gap']);
    expect(rules({ readings: [{ ...reading, sequences: [1, 3, 2] }] })).toEqual(['history_gap']);
    expect(rules({ readings: [{ ...reading, retentionGap: true }] })).toEqual(['history_gap']);
  });
});

describe('a follower', () => {
  it.each([
    ['that missed one', [1, 4], 'follower_missed'],
    ['that saw one twice', [1, 2, 2, 4], 'follower_saw_twice'],
    ['that saw a catch-up in another order', [2, 1, 4], 'follower_out_of_order'],
    ['that saw one that nobody published', [1, 2, 4, 9], 'follower_saw_too_much'],
    ['that was matched with its own', [1, 2, 3, 4], 'own_publication_matched'],
  ])('%s is reported', (_what, sequences, rule) => {
    expect(withFollower({ seen: seeing(...sequences) })).toEqual([rule]);
  });

  it('that saw one from before its beginning is reported', () => {
    expect(withFollower({ after: 1 })).toEqual(['follower_saw_too_much']);
  });

  it('that saw live publications in another order is reported', () => {
    expect(withFollower({ watermark: 0, seen: seeing(1, 4, 2) })).toEqual(['follower_out_of_order']);
  });
});

describe('a wake', () => {
  it('by an own publication is reported', () => {
    const changed = [batch('b1', ['e1', 'e2', 'e3'], at), batches[1]] as Batch[];
    const of = { matches: [...matches, match('e3', 'b1')] };
    expect(withWakes(changed, of)).toEqual(['own_publication_matched']);
  });

  it('must exist for each match, once', () => {
    expect(withWakes(batches.slice(0, 1))).toEqual(['match_without_wake']);
    const waiting = { ...match('e4', ''), state: 'matched', batchId: null };
    expect(rules({ matches: matches.with(2, waiting) })).toEqual(['match_without_wake']);
    const doubled = [batches[0], batch('b2', ['e2', 'e4'], at + 30_000)] as Batch[];
    expect(withWakes(doubled)).toEqual(['match_of_two_wakes']);
  });

  it('has matches', () => {
    expect(withWakes([...batches.slice(0, 1), batch('b2', ['e4', 'e7'], at + 30_000)])).toEqual([
      'wake_without_matches',
    ]);
    expect(withWakes([...batches, batch('b3', [], at + 60_000)])).toContain('wake_without_matches');
  });

  it('is one prompt of its agent, with its events', () => {
    const prompts = promptsOf(batches);
    expect(rules({ prompts: prompts.slice(1) })).toEqual(['wake_without_prompt']);
    expect(rules({ prompts: [...prompts, ...prompts.slice(1)] })).toEqual(['wake_without_prompt']);
    const elsewhere = prompts.map((prompt) => ({ ...prompt, chatId: 'writer' }));
    expect(rules({ prompts: elsewhere })).toEqual(['wake_without_prompt']);
    const other = prompts.map((prompt) => ({ ...prompt, eventIds: ['e1'] }));
    expect(rules({ prompts: other })).toEqual(['wake_without_prompt']);
  });

  it('reaches its agent once', () => {
    const texts = batches.map(textOf);
    expect(rules({ invocations: texts.slice(1) })).toEqual(['wake_without_prompt']);
    expect(rules({ invocations: [...texts, ...texts.slice(1)] })).toEqual(['wake_prompted_twice']);
    expect(rules({ invocations: texts.map((text) => text.replace('- e1\n', '')) })).toEqual([
      'wake_without_prompt',
    ]);
  });

  it('is settled in the end', () => {
    expect(withWakes(batches.map((each) => ({ ...each, state: 'pending' })))).toEqual(['wake_not_settled']);
  });

  it('keeps the limits of wakes, events and cooldown', () => {
    const early = [batches[0], batch('b2', ['e4'], at + 29_000)] as Batch[];
    expect(withWakes(early)).toEqual(['limit_exceeded']);
    for (const change of [{ wakesOfSubscription: 1 }, { eventsOfBatch: 1 }])
      expect(checkChannels(history(), { ...limits, ...change }).violations.map(({ rule }) => rule)).toEqual([
        'limit_exceeded',
      ]);
  });
});
