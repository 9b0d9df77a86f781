import { setTimeout as wait } from 'node:timers/promises';
import { maxEventsPerBatch } from '../../../../lambdas/domain/event-subscriptions/event-batch.js';
import { wakeLimits } from '../../../../lambdas/domain/event-wakes/wake-limits.js';
import { rateLimits } from '../../../../lambdas/domain/rate-limits/rate-limits.js';
import { Random } from '../../agent/random.js';
import { breakChannels } from './channel-faults.js';
import { ChannelFollower } from './channel-follower.js';
import { type ChannelHistory, emptyChannelHistory } from './channel-history.js';
import { publishMessages } from './channel-publisher.js';
import { ChannelTarget, limitFactor, type TaskAgent } from './channel-target.js';
import { type ChannelVerdict, checkChannels } from './check-channels.js';
import { readHistory } from './history-reader.js';
import { ToolClient } from './tool-client.js';

interface ChannelNemesisOptions {
  readonly publications: number;
  /** Five at least, of which three follow, one reads the history, and one only publishes. */
  readonly agents: number;
  readonly channels: number;
  readonly seed: number;
  /** Between two wakes of a chat. */
  readonly cooldownMs: number;
  /** Between two faults. */
  readonly pauseMs: readonly [number, number];
  /** For what waits when all is published. */
  readonly settleMs: number;
  readonly isBuilt: boolean;
  readonly onProgress?: (reported: string) => void;
}

interface ChannelNemesisResult extends ChannelVerdict {
  readonly history: ChannelHistory;
  readonly seconds: number;
}

const limits = {
  publicationsPerMinute: rateLimits.CHANNEL_PUBLISH.limit * limitFactor,
  wakesOfSubscription: wakeLimits.wakes,
  eventsOfBatch: maxEventsPerBatch,
};

/** The agents of tasks publish, follow, catch up and are woken, while all of that is broken. */
export async function runChannelNemesis(options: ChannelNemesisOptions): Promise<ChannelNemesisResult> {
  const history = emptyChannelHistory();
  const report = options.onProgress ?? (() => undefined);
  report('A laptop cloud starts, and its tasks');
  await using target = await ChannelTarget.start(options);
  const startedAt = Date.now();
  const participants = participantsOf(target.agents, history, options);
  const followers = participants.flatMap(({ follower }) => follower ?? []);
  const ended = new AbortController();
  const faults = breakChannels(target, history, {
    random: new Random(options.seed),
    pauseMs: options.pauseMs,
    signal: ended.signal,
  });
  const timer = setInterval(() => report(progressOf(history)), 10_000);
  try {
    // A subscription by a filter has no place in a history: it begins before the channels.
    await Promise.all(followers.map((follower) => follower.isByFilter && follower.begin()));
    await Promise.all(participants.map((participant) => act(participant, options)));
    report('All is published; faults continue while followers read');
    await untilSeen(followers, history, options.settleMs);
  } finally {
    ended.abort();
    await faults;
    clearInterval(timer);
  }
  report('Faults have ended; waiting for wakes');
  await untilSettled(target, options.settleMs);
  for (const follower of followers) await follower.finish();
  const [reader] = participants;
  for (const channel of channelsOf(options)) {
    const read = reader && (await readHistory(reader, channel));
    history.shown = [...history.shown, ...(read?.shown ?? [])];
  }
  await target.read(history);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  return { ...checkChannels(history, { ...limits, cooldownMs: options.cooldownMs }), history, seconds };
}

const channelsOf = ({ channels }: Pick<ChannelNemesisOptions, 'channels'>): readonly string[] =>
  Array.from({ length: channels }, (_, index) => `gates-${index + 1}`);

interface Participant {
  readonly publisher: string;
  readonly channels: readonly string[];
  readonly client: ToolClient;
  readonly history: ChannelHistory;
  readonly random: Random;
  readonly share: number;
  readonly follower: ChannelFollower | undefined;
  readonly isReader: boolean;
}

const roles = ['waking', 'recording', 'waking by filter', 'reading', 'publishing'] as const;

function participantsOf(
  agents: readonly TaskAgent[],
  history: ChannelHistory,
  options: ChannelNemesisOptions,
): readonly Participant[] {
  const { publications, seed } = options;
  const channels = channelsOf(options);
  return agents.map((agent, index) => {
    const random = new Random(seed + index + 1);
    const client = new ToolClient(agent, random, history);
    const own = { client, history, random };
    const role = roles[index % roles.length];
    const channel = channels[Math.floor(index / roles.length) % channels.length] ?? '';
    const isByFilter = role === 'waking by filter';
    const wakes = role === 'waking' || isByFilter;
    const follows = wakes || role === 'recording';
    return {
      ...own,
      publisher: agent.chatId,
      channels,
      share: Math.floor((publications + index) / agents.length),
      follower: follows
        ? new ChannelFollower({ ...own, chatId: agent.chatId, channel, isByFilter, wakes })
        : undefined,
      isReader: role === 'reading',
    };
  });
}

async function act(participant: Participant, options: ChannelNemesisOptions): Promise<void> {
  const { follower, isReader, random, channels, share } = participant;
  let isPublishing = true;
  const publishes = publishMessages(participant, share).finally(() => {
    isPublishing = false;
  });
  const follows = async () => {
    if (!follower) return;
    const begins = (options.publications / 3) * random.next();
    while (isPublishing && participant.history.sent.length < begins) await wait(100);
    if (!follower.isByFilter) await follower.begin();
    while (isPublishing) await follower.step();
  };
  const reads = async () => {
    while (isReader && isPublishing) {
      await readHistory(participant, random.pick(channels) ?? '');
      await wait(random.between(500, 4_000));
    }
  };
  await Promise.all([publishes, follows(), reads()]);
}

function progressOf({ sent, followers, faults, repeats, rateLimited }: ChannelHistory): string {
  const seen = followers.reduce((sum, follower) => sum + follower.seen.length, 0);
  return `${sent.length} sent, ${repeats} calls repeated, ${rateLimited} over the limit; ${followers.length} followers saw ${seen}; ${faults.length} faults`;
}

/** The checker reports whatever is missing after this time. */
async function untilSeen(
  followers: readonly ChannelFollower[],
  history: ChannelHistory,
  withinMs: number,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  let open = followers;
  while (open.length > 0 && Date.now() < deadline) {
    await Promise.all(open.map((follower) => follower.step()));
    open = open.filter((follower) => follower.seen < follower.expects(history));
  }
}

const sweepEveryMs = 5_000;

async function untilSettled(target: ChannelTarget, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline && !(await target.isSettled())) {
    await wait(sweepEveryMs);
    await target.sweep();
  }
}
