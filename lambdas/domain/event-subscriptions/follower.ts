import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import { withoutNulls } from '../records/changes.js';
import { queryAll } from '../records/query-all.js';
import { EventSubscription } from './event-subscription.js';

/**
 * The fields of a subscription that matching reads. The item exists exactly while the subscription
 * is active; those of a project are one partition, which one call reads.
 */
export const Follower = z.pick(EventSubscription, {
  subscriptionId: true,
  projectId: true,
  owner: true,
  ownerChatId: true,
  ownerUserId: true,
  filter: true,
  requestedDelivery: true,
  resolvedDelivery: true,
  target: true,
  channel: true,
  endsAt: true,
  createdAt: true,
});
export type Follower = z.infer<typeof Follower>;

const followersOf = (projectId: string): string => `EVENTFOLLOWERS#${projectId}`;

export const followerKey = ({
  projectId,
  subscriptionId,
}: Pick<Follower, 'projectId' | 'subscriptionId'>) => ({
  pk: followersOf(projectId),
  sk: subscriptionId,
});

/** Partition of the index `byParent` with all active subscriptions, by the time of their expiry. */
export const expiringSubscriptions = 'EVENTSUBSCRIPTIONENDS';

export const followerItem = (subscription: EventSubscription) => ({
  ...followerKey(subscription),
  entity: 'event-follower',
  schemaVersion: 1,
  parentPk: expiringSubscriptions,
  parentSk: `${subscription.endsAt}#${subscription.subscriptionId}`,
  ...withoutNulls(Follower.parse(subscription)),
});

/**
 * The active subscriptions of a project, at most 200, oldest first. One table call for each MB:
 * more than one only for filters of many long values.
 */
export async function listFollowers(table: Table, projectId: string): Promise<readonly Follower[]> {
  const items = await queryAll(table, {
    KeyConditionExpression: 'pk = :project',
    ExpressionAttributeValues: { ':project': followersOf(projectId) },
    ConsistentRead: true,
  });
  const followers = items.map((item) => Follower.parse(item));
  return followers.toSorted((a, b) => (followerOrder(a) < followerOrder(b) ? -1 : 1));
}

/** Sorts the oldest first. */
export const followerOrder = ({ createdAt, subscriptionId }: Follower): string =>
  `${createdAt}#${subscriptionId}`;
