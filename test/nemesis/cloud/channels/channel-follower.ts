import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Random } from '../../agent/random.js';
import type { ChannelHistory, Follower } from './channel-history.js';
import { readHistory } from './history-reader.js';
import { expectResult, type ToolClient } from './tool-client.js';

const Subscription = z.object({ subscription: z.object({ id: z.string() }) });
const Following = z.extend(Subscription, {
  watermark: z.number(),
  caughtUpThrough: z.number(),
  hasMore: z.boolean(),
  changed: z.boolean(),
});
const Events = z.object({
  events: z.array(
    z.object({
      id: z.string(),
      metadata: z.object({ channel: z.string(), sequence: z.number() }),
      delivery: z.object({ id: z.string(), state: z.string() }),
    }),
  ),
  nextCursor: z.nullable(z.string()),
  hasMore: z.boolean(),
});

export interface FollowerOf {
  readonly chatId: string;
  readonly channel: string;
  /** Subscribes by a filter, without a place in the history. */
  readonly isByFilter: boolean;
  readonly wakes: boolean;
  readonly client: ToolClient;
  readonly history: ChannelHistory;
  readonly random: Random;
}

/** An agent that follows a channel while others publish, and reads the events by its cursor. */
export class ChannelFollower {
  private cursor: string | undefined;
  private isBehind = false;
  private follower: Follower | undefined;

  constructor(private readonly of: FollowerOf) {}

  async begin(): Promise<void> {
    const { chatId, wakes, channel, history } = this.of;
    const idempotencyKey = `follow-${channel}`;
    const requestedDelivery = wakes ? 'existing_session_prompt' : 'record_only';
    const asked = { idempotencyKey, requestedDelivery };
    const begun = this.of.isByFilter ? await this.subscribe(asked) : await this.follow(asked);
    this.follower = { ...begun, chatId, wakes, channel, seen: [] };
    this.isBehind = begun.after < begun.watermark;
    history.followers.push(this.follower);
  }

  private async subscribe(asked: object) {
    const { channel, client } = this.of;
    const filter = { version: 1, source: 'svc.agent_channel', subjectId: channel };
    const tool = 'create_project_event_subscription';
    const { subscription } = expectResult(Subscription, await client.call(tool, { ...asked, filter }, true));
    return { subscriptionId: subscription.id, after: 0, watermark: 0 };
  }

  /** From a place in the history, or from the next publication. */
  private async follow(asked: object) {
    const { channel, client, random } = this.of;
    const read = random.chance(0.8) ? await readHistory(this.of, channel, random.between(1, 3)) : undefined;
    const args = { ...asked, channel, ...(read ? { cursor: read.cursor } : {}) };
    const call = () => client.call('follow_event_channel', args, true);
    const [answer, again] = await Promise.all(random.chance(0.3) ? [call(), call()] : [call()]);
    const { subscription, watermark, caughtUpThrough } = expectResult(Following, answer);
    if (again && expectResult(Following, again).subscription.id !== subscription.id)
      throw new Error('A repeat of a follow made another subscription');
    return { subscriptionId: subscription.id, after: caughtUpThrough, watermark };
  }

  /** One catch-up page, or two calls at once, and the next events. */
  async step(): Promise<void> {
    const { random } = this.of;
    if (this.isBehind) {
      const times = random.chance(0.3) ? 2 : 1;
      await Promise.all(Array.from({ length: times }, () => this.catchUp(random.between(1, 40))));
    }
    await this.poll(random.between(1, 100));
    await wait(random.between(200, 2_500));
  }

  /** Reads until nothing more is there. */
  async finish(): Promise<void> {
    while (this.isBehind) await this.catchUp(40);
    while (await this.poll(200));
  }

  get isByFilter(): boolean {
    return this.of.isByFilter;
  }

  get seen(): number {
    return this.follower?.seen.length ?? 0;
  }

  /** As many events as it must see of so many publications. */
  expects(history: ChannelHistory): number {
    const { channel, chatId, wakes } = this.of;
    const { after = 0 } = this.follower ?? {};
    return history.sent.filter(
      (sent) =>
        sent.channel === channel &&
        !(wakes && sent.publisher === chatId) &&
        (sent.acknowledged[0]?.sequence ?? 0) > after,
    ).length;
  }

  private async catchUp(limit: number): Promise<void> {
    const { client, history } = this.of;
    const { subscriptionId = '' } = this.follower ?? {};
    const answer = await client.call('catch_up_event_channel', { subscriptionId, limit }, true);
    const { hasMore, changed } = expectResult(Following, answer);
    history.catchUps.push({ subscriptionId, changed });
    this.isBehind = hasMore;
  }

  /** True when more is there. */
  private async poll(limit: number): Promise<boolean> {
    const { subscriptionId = '', seen } = this.follower ?? {};
    const args = { subscriptionId, limit, ...(this.cursor ? { cursor: this.cursor } : {}) };
    const answer = await this.of.client.call('list_subscription_events', args);
    const { events, nextCursor, hasMore } = expectResult(Events, answer);
    for (const { id: eventId, metadata } of events) seen?.push({ eventId, ...metadata });
    const delivered = events.filter(({ delivery }) => delivery.state === 'delivered');
    for (const deliveryId of new Set(delivered.map(({ delivery }) => delivery.id)))
      await this.of.client.call('ack_event_delivery', { deliveryId }, true);
    this.cursor = nextCursor ?? this.cursor;
    return hasMore;
  }
}
