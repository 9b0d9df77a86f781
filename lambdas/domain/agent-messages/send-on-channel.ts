import type { z } from 'zod/mini';
import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import type { Channel } from '../event-channels/channel.js';
import type { ChannelActor, PublicationDraft } from '../event-channels/channel-event.js';
import { type Companions, type Published, publicationKeys, publish } from '../event-channels/publish.js';
import { endElapsed } from '../event-subscriptions/end-subscription.js';
import { eventCapacity } from '../event-subscriptions/errors.js';
import {
  EventSubscription,
  maxActiveSubscriptions,
  subscriptionCountKey,
  subscriptionKey,
} from '../event-subscriptions/event-subscription.js';
import { followerKey } from '../event-subscriptions/follower.js';
import { type Find, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import type { Refusal, Write } from '../records/transact.js';
import { messageCapacity, recipientUnavailable, withOutcome } from './errors.js';
import { isUsable, type Participant, type Receiver, renewalWrites } from './managed-subscription.js';
import { messageLimits } from './message-limits.js';
import { pairChannelName } from './pair-channel.js';
import { PairMember, pairMemberKey } from './pair-member.js';
import { releaseIdle } from './release-idle.js';

export interface AgentMessage {
  readonly actor: ChannelActor;
  readonly sender: Participant;
  readonly recipient: Participant;
  /** Whether its agent can read the message. A repeat of a stored message does not need it. */
  readonly isReachable: boolean;
  readonly message: string;
  readonly messageClass: 'notify' | 'deliver';
  readonly metadata: Readonly<Record<string, z.core.util.JSONType>> | null;
  readonly idempotencyKey: string;
}

interface Sending {
  readonly newId: () => string;
  readonly now: Date;
}

/**
 * Publishes a message on the channel of two chats. One transaction makes the channel and the
 * subscription of each chat where they are missing, and publishes. Three table calls, more at the
 * limit of subscriptions and for each concurrent message.
 *
 * @throws {DomainError} with one of the four outcomes; nothing of the message is stored
 */
export async function sendOnChannel(
  table: Table,
  message: AgentMessage,
  sending: Sending,
): Promise<Published> {
  const { sender, recipient, isReachable, actor } = message;
  const { projectId } = sender;
  const name = pairChannelName(projectId, [sender.chatId, recipient.chatId]);
  const draft: PublicationDraft = {
    ...{ projectId, name, actor, message: message.message, idempotencyKey: message.idempotencyKey },
    about: {
      kind: 'agent_message',
      messageClass: message.messageClass,
      recipient: { taskId: recipient.taskId, chatSessionId: recipient.chatId },
      senderMetadata: message.metadata,
    },
  };
  const receivers = new ManagedSubscriptions(table, {
    ...{ name, recipientChatId: recipient.chatId, isReachable, participants: [sender, recipient] },
    ...sending,
  });
  try {
    const keys = [...Object.values(publicationKeys(draft)), ...receivers.keys];
    const find = await getItems(table, keys);
    await receivers.load(find);
    return await publish(table, { draft, find, companions: receivers, ...sending });
  } catch (error) {
    throw withOutcome(error);
  }
}

interface ReceiversOf extends Sending {
  readonly name: string;
  readonly recipientChatId: string;
  readonly isReachable: boolean;
  readonly participants: readonly Participant[];
}

/** The managed subscriptions of a pair channel, written with the message where they are renewed. */
class ManagedSubscriptions implements Companions {
  private receivers: readonly Receiver[] = [];

  constructor(
    private readonly table: Table,
    private readonly of: ReceiversOf,
  ) {}

  get keys(): readonly Key[] {
    const { name: channel, participants } = this.of;
    return participants.map(({ projectId, chatId }) => pairMemberKey({ projectId, channel, chatId }));
  }

  /** Reads the subscriptions that the items of `keys` name. */
  async load(find: Find): Promise<void> {
    const { participants } = this.of;
    const members = this.keys.map((key) => find(key)).map((item) => item && PairMember.parse(item));
    const subscriptionKeys = members.map((member) => member && subscriptionKey(member.subscriptionId));
    const named = subscriptionKeys.filter((key) => key !== undefined);
    const findNamed = named.length > 0 ? await getItems(this.table, named) : () => undefined;
    this.receivers = participants.map((participant, index) => {
      const key = subscriptionKeys[index];
      const item = key && findNamed(key);
      return { participant, member: members[index], subscription: item && EventSubscription.parse(item) };
    });
  }

  /**
   * First the chat of the recipient, then the count of renewed subscriptions: their refusals are
   * known. A subscription that stays must not end before the message: nobody would match it.
   *
   * @throws {recipientUnavailable}
   */
  writes(channel: Channel): readonly Write[] {
    const { now, newId, recipientChatId, isReachable } = this.of;
    if (!isReachable) throw recipientUnavailable();
    const recipient = { check: chatKey(recipientChatId), when: whileReachable };
    const renewed = this.toRenew();
    return [
      recipient,
      ...(renewed.length > 0 ? [count(channel.projectId, renewed.length)] : []),
      ...renewed.flatMap((receiver) => renewalWrites({ receiver, channel, serial: newId(), now })),
      ...this.receivers.filter((receiver) => isUsable(receiver, now)).flatMap(stillFollows),
    ];
  }

  /**
   * @throws {recipientUnavailable}
   * @throws {messageCapacity | eventCapacity} no subscription of the project can be ended
   */
  async refused([recipient, limit]: readonly Refusal[]): Promise<void> {
    if (recipient?.failed) throw recipientUnavailable();
    if (limit?.failed && this.toRenew().length > 0) await this.makeRoom(limit);
    // Another message has renewed a subscription, or one has ended.
    await this.load(await getItems(this.table, this.keys));
  }

  private toRenew(): readonly Receiver[] {
    return this.receivers.filter((receiver) => !isUsable(receiver, this.of.now));
  }

  private async makeRoom({ item }: Refusal): Promise<void> {
    const { name, participants, now } = this.of;
    const projectId = participants[0]?.projectId ?? '';
    const wanted = this.toRenew().length;
    if ((await endElapsed(this.table, projectId, now)) > 0) return;
    const managed = Number(item?.managedCount ?? 0);
    if (managed + wanted <= messageLimits.managedSubscriptions) throw eventCapacity();
    const released = await releaseIdle(this.table, { projectId, channel: name, count: wanted, now });
    if (released === 0) throw messageCapacity();
  }
}

/** The follower exists for as long as its subscription is active, and matches do not change it. */
const stillFollows = ({ subscription }: Receiver): readonly Write[] =>
  subscription ? [{ check: followerKey(subscription), when: { exists: true } }] : [];

/** The agent of the chat takes messages. */
const whileReachable = {
  oneOf: { status: ['active', 'sleeping'] },
  absent: ['shutdownId'],
} as const;

/** Managed subscriptions have a share of the active subscriptions of the project. */
const count = (projectId: string, added: number): Write => ({
  update: {
    key: subscriptionCountKey(projectId),
    set: { entity: 'event-subscription-count', schemaVersion: 1 },
    add: { activeCount: added, managedCount: added },
    when: {
      absentOrBefore: {
        activeCount: maxActiveSubscriptions - added + 1,
        managedCount: messageLimits.managedSubscriptions - added + 1,
      },
    },
  },
});
