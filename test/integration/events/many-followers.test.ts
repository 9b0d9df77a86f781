import { expect, it } from 'vitest';
import { sharedTable } from '../../support/table.js';
import { TestChannel } from './a-channel.js';

/** Of a seed: the same numbers in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const range = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

interface Watched {
  readonly subscriptionId: string;
  /** The last sequence that its agent had read before. */
  readonly after: number;
  readonly watermark: number;
}

/** Publishes; the stream is late for some publications, and shows some twice. */
async function speak(channel: TestChannel, random: () => number, times: number): Promise<void> {
  const agent = channel.agent();
  for (let count = 0; count < times; count += 1) {
    const published = await channel.publish(agent);
    if (random() < 0.5) await channel.consume(published);
    await channel.consume(published);
  }
}

/** Reads, follows and catches up while others publish. */
async function watch(channel: TestChannel, random: () => number): Promise<Watched> {
  const agent = channel.agent();
  await channel.publish(agent).then((published) => channel.consume(published));
  const limit = 1 + Math.floor(random() * 5);
  const read = await channel.history(undefined, limit);
  const { subscription, catchUp } = await channel.follow(agent, { cursor: read.cursor });
  const { subscriptionId } = subscription;
  const { watermark, caughtUpThrough: after } = catchUp;
  await Promise.all([
    speak(channel, random, 2),
    channel.catchUp(agent, subscriptionId, limit),
    channel.catchUp(agent, subscriptionId, limit),
  ]);
  while ((await channel.catchUp(agent, subscriptionId, limit)).changed);
  return { subscriptionId, after, watermark };
}

it.each([1, 2])('each follower among 20 agents sees each publication once (seed %i)', async (seed) => {
  const channel = new TestChannel(sharedTable());
  const random = randomOf(seed);
  const [watched] = await Promise.all([
    Promise.all(Array.from({ length: 4 }, () => watch(channel, random))),
    Promise.all(Array.from({ length: 16 }, () => speak(channel, random, 1))),
  ]);

  const { watermark: last, events, retentionGap } = await channel.history();
  expect(events.map(({ sequence }) => sequence)).toEqual(range(1, last));
  expect(retentionGap).toBe(false);
  for (const { subscriptionId, after, watermark } of watched) {
    const seen = await channel.sequences(subscriptionId);
    expect(seen.toSorted((a, b) => a - b)).toEqual(range(after + 1, last));
    expect(seen.filter((sequence) => sequence <= watermark)).toEqual(range(after + 1, watermark));
  }
});
