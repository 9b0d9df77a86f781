import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { channelKey } from '../../../lambdas/domain/event-channels/channel.js';
import { reclaimChannels } from '../../../lambdas/domain/event-channels/reclaim-channels.js';
import { openTable } from '../../../lambdas/shared/open-table.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { sharedTable } from '../../support/table.js';
import { type TestAgent, TestChannel } from './a-channel.js';

// The orders of docs/channels.md, one test each. `beforeWrite` runs between the reads of a function
// and its transaction.

let table: Table;
let beforeWrite: (() => Promise<unknown>) | undefined;
let channel: TestChannel;
let writer: TestAgent;
let reader: TestAgent;

beforeAll(() => {
  table = openTable(sharedTable().name);
  table.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const hook = commandName === 'TransactWriteItemsCommand' ? beforeWrite : undefined;
        if (hook) {
          beforeWrite = undefined;
          await hook();
        }
        return next(args);
      },
    { step: 'initialize', name: 'before-write' },
  );
});

beforeEach(() => {
  beforeWrite = undefined;
  channel = new TestChannel(table);
  writer = channel.agent();
  reader = channel.agent();
});

/** The cursor of somebody who has read the first publication. */
async function readFirst(): Promise<string> {
  const first = await channel.publish(writer);
  await channel.consume(first);
  return (await channel.history()).cursor;
}

describe('a publication', () => {
  it.each([
    ['before', 'before'],
    ['before', 'after'],
  ])('committed %s the follow and matched %s it is caught up with', async (_committed, matched) => {
    const cursor = await readFirst();
    const second = await channel.publish(writer);
    if (matched === 'before') await channel.consume(second);
    const { subscription, catchUp } = await channel.follow(reader, { cursor });
    if (matched === 'after') await channel.consume(second);

    expect(catchUp).toMatchObject({ watermark: 2, caughtUpThrough: 1 });
    expect(await channel.sequences(subscription.subscriptionId)).toEqual([]);
    await channel.catchUp(reader, subscription.subscriptionId);
    expect(await channel.sequences(subscription.subscriptionId)).toEqual([2]);
  });

  it('committed between the read and the transaction of the follow is caught up with', async () => {
    const cursor = await readFirst();
    beforeWrite = async () => channel.consume(await channel.publish(writer));
    const { subscription, catchUp } = await channel.follow(reader, { cursor });

    expect(catchUp.watermark).toBe(2);
    await channel.catchUp(reader, subscription.subscriptionId);
    expect(await channel.sequences(subscription.subscriptionId)).toEqual([2]);
  });

  it('committed after the follow is matched live, once, however often the stream shows it', async () => {
    const cursor = await readFirst();
    const { subscription, catchUp } = await channel.follow(reader, { cursor });
    const second = await channel.publish(writer);
    await Promise.all([channel.consume(second), channel.consume(second)]);
    await channel.consume(second);

    expect(catchUp).toMatchObject({ watermark: 1, caughtUpThrough: 1 });
    expect(await channel.catchUp(reader, subscription.subscriptionId)).toMatchObject({ changed: false });
    expect(await channel.sequences(subscription.subscriptionId)).toEqual([2]);
  });

  it('that read the channel before the follow and committed after it is matched live', async () => {
    const cursor = await readFirst();
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof channel.follow>>>();
    beforeWrite = async () => resolve(await channel.follow(reader, { cursor }));
    const second = await channel.publish(writer);
    const { subscription, catchUp } = await promise;
    await channel.consume(second);

    expect(catchUp.watermark).toBe(1);
    expect(second.sequence).toBe(2);
    expect(await channel.sequences(subscription.subscriptionId)).toEqual([2]);
  });

  it('is matched after the earlier ones, in whatever order the stream shows them', async () => {
    const cursor = await readFirst();
    const { subscription } = await channel.follow(reader, { cursor });
    const later = [];
    for (let count = 0; count < 4; count += 1) later.push(await channel.publish(writer));
    const [second, third, fourth, fifth] = later;
    if (!second || !third || !fourth || !fifth) throw new Error('Four publications');
    await channel.consume(fourth);
    expect(await channel.sequences(subscription.subscriptionId)).toEqual([2, 3, 4]);
    await Promise.all([fifth, third, second].map((each) => channel.consume(each)));

    expect(await channel.sequences(subscription.subscriptionId)).toEqual([2, 3, 4, 5]);
  });

  it('is matched after the earlier ones while several consumers match them', async () => {
    const { subscription } = await channel.follow(reader, { cursor: await readFirst() });
    const { subscription: other } = await channel.follow(channel.agent());
    const later = [];
    for (let count = 0; count < 6; count += 1) later.push(await channel.publish(writer));
    await Promise.all(later.toReversed().map((each) => channel.consume(each)));

    for (const { subscriptionId } of [subscription, other])
      expect(await channel.sequences(subscriptionId)).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it('whose answer was lost is repeated after the follow and matched once', async () => {
    const cursor = await readFirst();
    const { subscription } = await channel.follow(reader, { cursor });
    const second = await channel.publish(writer, 'again', 'key');
    await channel.consume(second);
    const repeat = await channel.publish(writer, 'again', 'key');
    await channel.consume(repeat);

    expect(repeat).toMatchObject({ outcome: 'duplicate_replay', sequence: 2 });
    expect(await channel.sequences(subscription.subscriptionId)).toEqual([2]);
  });

  it('that is sent twice at the same moment is one', async () => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => channel.publish(writer, 'same', 'key')),
    );

    expect(replies.map(({ sequence }) => sequence)).toEqual([1, 1, 1, 1, 1]);
    expect(replies.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(await channel.history()).toMatchObject({ watermark: 1, events: [{ sequence: 1 }] });
  });
});

describe('a catch-up', () => {
  it('that runs twice at the same moment admits a page once', async () => {
    const cursor = await readFirst();
    for (let count = 0; count < 4; count += 1) await channel.publish(writer);
    const { subscription } = await channel.follow(reader, { cursor });
    const { subscriptionId } = subscription;
    beforeWrite = () => channel.catchUp(reader, subscriptionId, 2);
    const second = await channel.catchUp(reader, subscriptionId, 2);

    expect(second).toMatchObject({ changed: false, catchUp: { caughtUpThrough: 3 } });
    await channel.catchUp(reader, subscriptionId, 2);
    expect(await channel.sequences(subscriptionId)).toEqual([2, 3, 4, 5]);
  });

  it('keeps a live match between its read and its transaction', async () => {
    const cursor = await readFirst();
    await channel.publish(writer);
    const { subscription } = await channel.follow(reader, { cursor });
    const { subscriptionId } = subscription;
    beforeWrite = async () => channel.consume(await channel.publish(writer));
    await channel.catchUp(reader, subscriptionId);

    expect((await channel.sequences(subscriptionId)).toSorted()).toEqual([2, 3]);
  });

  it('does not wake an agent for its own publications, which a recording follower gets', async () => {
    const cursor = await readFirst();
    await channel.publish(reader);
    const waking = await channel.follow(reader, { cursor, wakes: true });
    const recording = await channel.follow(reader, { cursor });
    await channel.consume(await channel.publish(reader));
    await channel.consume(await channel.publish(writer));
    for (const { subscription } of [waking, recording])
      await channel.catchUp(reader, subscription.subscriptionId);

    expect(await channel.sequences(waking.subscription.subscriptionId)).toEqual([4]);
    expect((await channel.sequences(recording.subscription.subscriptionId)).toSorted()).toEqual([2, 3, 4]);
  });
});

describe('a generation', () => {
  const days = (count: number) => new Date(channel.now.getTime() + count * 24 * 60 * 60_000);
  const silent = { debug() {}, info() {}, warn() {}, error() {} };

  it('without publications for 60 days is reclaimed, and its followers get the next one', async () => {
    const start = channel.now;
    const first = await channel.publish(writer);
    channel.now = days(1);
    await channel.publish(writer);
    // The first marker is due; the channel was used since.
    await reclaimChannels({ table, now: days(59.5), log: silent });
    expect(await channel.history()).toMatchObject({ watermark: 2 });

    channel.now = new Date(start.getTime() + 61.5 * 24 * 60 * 60_000);
    const { subscription } = await channel.follow(reader);
    await reclaimChannels({ table, now: channel.now, log: silent });
    await expect(channel.history()).rejects.toThrow('Channel not found');
    const next = await channel.publish(writer);
    await channel.consume(next);

    expect(next).toMatchObject({ sequence: 1, outcome: 'created' });
    expect(next.channel?.channelId).not.toBe(first.channel?.channelId);
    expect(await channel.sequences(subscription.subscriptionId)).toEqual([1]);
  });

  it('that is used between the read of the sweep and its transaction stays', async () => {
    await channel.publish(writer);
    channel.now = days(61);
    beforeWrite = () => channel.publish(writer);
    await reclaimChannels({ table, now: channel.now, log: silent });

    expect(await channel.history()).toMatchObject({ watermark: 2 });
    expect(channelKey(channel.ref).sk).toBe('gates');
  });

  it('can be followed before it exists', async () => {
    const { subscription, catchUp } = await channel.follow(reader);
    await channel.consume(await channel.publish(writer));

    expect(catchUp).toMatchObject({ watermark: 0, caughtUpThrough: 0 });
    expect(await channel.sequences(subscription.subscriptionId)).toEqual([1]);
  });
});
