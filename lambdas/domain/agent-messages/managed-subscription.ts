import type { Channel } from '../event-channels/channel.js';
import { channelFilter } from '../event-channels/channel-filter.js';
import {
  type EventSubscription,
  effectiveState,
  managedKeyPrefix,
  subscriptionItem,
} from '../event-subscriptions/event-subscription.js';
import { followerItem, followerKey } from '../event-subscriptions/follower.js';
import { type AgentOwner, newAgentSubscription } from '../event-subscriptions/new-subscription.js';
import type { Write } from '../records/transact.js';
import { messageLimits } from './message-limits.js';
import { type PairMember, pairMemberPut } from './pair-member.js';

/** One of the two chats of a pair channel. */
export type Participant = Omit<AgentOwner, 'tokenEndsAt'>;

/** A participant with the subscription that takes its messages, as just read. */
export interface Receiver {
  readonly participant: Participant;
  readonly member: PairMember | undefined;
  readonly subscription: EventSubscription | undefined;
}

interface Renewal {
  readonly receiver: Receiver;
  /** As the message leaves it: the message itself is for the new subscription. */
  readonly channel: Channel;
  readonly serial: string;
  readonly now: Date;
}

/** Whether the subscription takes another message. */
export function isUsable({ subscription }: Receiver, now: Date): boolean {
  if (!subscription || effectiveState(subscription, now) !== 'active') return false;
  const left = Date.parse(subscription.endsAt) - now.getTime();
  return left > messageLimits.rotationGraceMs && (subscription.wakeCount ?? 0) < messageLimits.wakes;
}

/**
 * Replaces the subscription of a participant. The former one keeps its matches and their wake until
 * it expires; its follower ends before this message.
 */
export function renewalWrites({ receiver, channel, serial, now }: Renewal): readonly Write[] {
  const { participant, member, subscription: former } = receiver;
  const { projectId, chatId } = participant;
  const { name, channelId: generation, lifetimeCount } = channel;
  const watermark = lifetimeCount - 1;
  const subscription = newAgentSubscription(
    { ...participant, tokenEndsAt: now.getTime() + messageLimits.lifetimeMs },
    {
      idempotencyKey: `${managedKeyPrefix}${name}:${serial}`,
      filter: channelFilter(name),
      requestedDelivery: 'existing_session_prompt',
      target: {},
      reason: 'Messages between two agents',
      expiresAt: null,
      channel: { name, generation, watermark },
    },
    { isWakeEnabled: true, now },
  );
  const { subscriptionId } = subscription;
  return [
    pairMemberPut({ projectId, channel: name, chatId, subscriptionId }, member, now),
    { put: subscriptionItem(subscription), when: { exists: false } },
    { put: followerItem(subscription), when: { exists: false } },
    ...(former && effectiveState(former, now) === 'active' ? [bound(former, channel)] : []),
  ];
}

/** No message from this one on matches the former subscription. */
const bound = (
  { projectId, subscriptionId, channel: followed }: EventSubscription,
  channel: Channel,
): Write => ({
  update: {
    key: followerKey({ projectId, subscriptionId }),
    set: { channel: { ...followed, through: channel.lifetimeCount - 1 } },
    when: { exists: true },
  },
});
