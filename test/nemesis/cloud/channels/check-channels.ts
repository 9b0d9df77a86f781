import { type ChannelHistory, type ChannelLimits, channelFaultKinds, type Shown } from './channel-history.js';
import { followerViolations } from './follower-violations.js';
import { writeFaults } from './function-faults.js';
import { wakeViolations } from './wake-violations.js';

export interface ChannelViolation {
  readonly rule:
    | 'publication_lost'
    | 'published_twice'
    | 'published_though_refused'
    | 'history_gap'
    | 'publisher_out_of_order'
    | 'follower_missed'
    | 'follower_saw_twice'
    | 'follower_saw_too_much'
    | 'follower_out_of_order'
    | 'own_publication_matched'
    | 'match_without_wake'
    | 'match_of_two_wakes'
    | 'wake_without_matches'
    | 'wake_without_prompt'
    | 'wake_prompted_twice'
    | 'wake_not_settled'
    | 'limit_exceeded';
  /** The message, event, subscription or batch. */
  readonly about: string;
  readonly detail: string;
}

export interface ChannelVerdict {
  readonly violations: readonly ChannelViolation[];
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Compares what agents sent, what the history shows, what followers read, and the records of wakes:
 * each acknowledged publication exists once, each follower saw each once and in order, and each
 * match woke its agent once.
 */
export function checkChannels(history: ChannelHistory, limits: ChannelLimits): ChannelVerdict {
  return {
    violations: [
      ...publicationViolations(history),
      ...historyViolations(history),
      ...followerViolations(history),
      ...wakeViolations(history, limits),
      ...rateViolations(history.shown, limits),
    ],
    counts: countsOf(history),
  };
}

function* publicationViolations({ sent, refused, shown }: ChannelHistory): Generator<ChannelViolation> {
  const byMessage = Map.groupBy(shown, ({ message }) => message);
  for (const message of refused)
    if (byMessage.has(message))
      yield { rule: 'published_though_refused', about: message, detail: 'The history shows it' };
  for (const { message, channel, publisher, acknowledged } of sent) {
    const found = byMessage.get(message) ?? [];
    const [first] = found;
    const answers = new Set(acknowledged.map(({ eventId, sequence }) => `${eventId} ${sequence}`));
    if (found.length > 1 || answers.size > 1)
      yield { rule: 'published_twice', about: message, detail: `${found.length} times; ${[...answers]}` };
    const isAsAcknowledged =
      first?.channel === channel &&
      first.publisher === publisher &&
      (answers.size !== 1 || answers.has(`${first.eventId} ${first.sequence}`));
    if (answers.size > 0 && !isAsAcknowledged)
      yield { rule: 'publication_lost', about: message, detail: `Acknowledged: ${[...answers]}` };
  }
}

function* historyViolations({ shown, readings, sent }: ChannelHistory): Generator<ChannelViolation> {
  for (const [channel, publications] of Map.groupBy(shown, (each) => each.channel)) {
    const sequences = publications.map(({ sequence }) => sequence);
    if (!isCount(sequences))
      yield { rule: 'history_gap', about: channel, detail: `Sequences ${sequences.join(' ')}` };
  }
  for (const { channel, watermark, sequences, retentionGap } of readings)
    if (retentionGap || !isCount(sequences) || sequences.length !== watermark)
      yield { rule: 'history_gap', about: channel, detail: `Up to ${watermark}: ${sequences.join(' ')}` };
  // An agent waits for each answer before it sends the next message.
  for (const messages of Map.groupBy(sent, (each) => `${each.publisher} ${each.channel}`).values()) {
    let latest = 0;
    for (const { message, acknowledged } of messages) {
      const { sequence = latest } = acknowledged[0] ?? {};
      if (sequence < latest)
        yield { rule: 'publisher_out_of_order', about: message, detail: `${sequence} after ${latest}` };
      latest = Math.max(latest, sequence);
    }
  }
}

/** 1, 2, 3 and so on. */
const isCount = (sequences: readonly number[]): boolean =>
  sequences.every((sequence, index) => sequence === index + 1);

const minuteMs = 60_000;

function* rateViolations(
  shown: readonly Shown[],
  { publicationsPerMinute }: ChannelLimits,
): Generator<ChannelViolation> {
  const windows = Map.groupBy(shown, ({ receivedAt }) => Math.floor(receivedAt / minuteMs));
  for (const [window, { length }] of windows)
    if (length > publicationsPerMinute)
      yield { rule: 'limit_exceeded', about: `minute ${window}`, detail: `${length} publications` };
}

function countsOf(history: ChannelHistory): Readonly<Record<string, number>> {
  const { sent, refused, shown, followers, readings, catchUps, matches, batches } = history;
  const channels = new Set(shown.map(({ channel }) => channel));
  return {
    publications: shown.length,
    publishers: new Set(sent.map(({ publisher }) => publisher)).size,
    channels: channels.size,
    acknowledgements: sent.flatMap(({ acknowledged }) => acknowledged).length,
    callsRepeated: history.repeats,
    rateLimited: history.rateLimited,
    conflictsRefused: refused.length,
    historyReadings: readings.length,
    followers: followers.length,
    followersThatWake: followers.filter(({ wakes }) => wakes).length,
    eventsSeen: followers.flatMap(({ seen }) => seen).length,
    catchUpPages: catchUps.filter(({ changed }) => changed).length,
    matches: matches.length,
    wakes: batches.length,
    eventsOfWakes: batches.flatMap(({ eventIds }) => eventIds).length,
    ...Object.fromEntries(
      channelFaultKinds.map((kind) => [kind, history.faults.filter((each) => each === kind).length]),
    ),
    ...Object.fromEntries(
      writeFaults.map((fault) => [
        `write_${fault}`,
        history.writeFaults.filter((each) => each === fault).length,
      ]),
    ),
  };
}
