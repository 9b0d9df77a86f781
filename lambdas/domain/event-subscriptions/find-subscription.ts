import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { byOwner, type Table } from '../../shared/table.js';
import { existingItems, type Item } from '../records/batch-items.js';
import { subscriptionNotFound } from './errors.js';
import {
  EventSubscription,
  effectiveState,
  endedSubscriptions,
  type SubscriptionState,
  subscriptionKey,
} from './event-subscription.js';
import { type Follower, listFollowers } from './follower.js';

/** @throws {subscriptionNotFound} also of another project. One table call. */
export async function findSubscription(
  table: Table,
  projectId: string,
  subscriptionId: string,
): Promise<EventSubscription> {
  const [subscription] = await loadSubscriptions(table, [subscriptionId]);
  if (subscription?.projectId !== projectId) throw subscriptionNotFound();
  return subscription;
}

/** @throws {subscriptionNotFound} also of another owner. One table call. */
export async function findOwnSubscription(
  table: Table,
  { projectId, ownerId }: { readonly projectId: string; readonly ownerId: string },
  subscriptionId: string,
): Promise<EventSubscription> {
  const subscription = await findSubscription(table, projectId, subscriptionId);
  if (subscription.owner.id !== ownerId) throw subscriptionNotFound();
  return subscription;
}

/** Those that exist, in the order of the ids. One table call for each hundred. */
export async function loadSubscriptions(
  table: Table,
  ids: readonly string[],
): Promise<readonly EventSubscription[]> {
  const items = await existingItems(table, ids.map(subscriptionKey));
  return items.map((item) => EventSubscription.parse(item));
}

export interface SubscriptionQuery {
  readonly projectId: string;
  readonly ownerId?: string | undefined;
  /** Of the owner or the target. */
  readonly sessionId?: string | undefined;
  readonly state: SubscriptionState | 'any';
  readonly limit: number;
}

interface SubscriptionPage {
  readonly subscriptions: readonly EventSubscription[];
  readonly hasMore: boolean;
}

/** The newest first, active ones before ended ones. Up to five table calls. */
export async function listSubscriptions(
  table: Table,
  query: SubscriptionQuery,
  now: Date,
): Promise<SubscriptionPage> {
  const wanted = query.limit + 1;
  const stored = await listStored(table, query, now);
  const ended =
    query.state === 'active' || stored.length >= wanted
      ? []
      : await listEnded(table, query, wanted - stored.length);
  const found = [...stored, ...ended];
  return { subscriptions: found.slice(0, query.limit), hasMore: found.length > query.limit };
}

/** Those that no sweep or cancellation has ended; an elapsed one counts as expired. */
async function listStored(
  table: Table,
  query: SubscriptionQuery,
  now: Date,
): Promise<readonly EventSubscription[]> {
  if (query.state === 'cancelled') return [];
  const followers = (await listFollowers(table, query.projectId)).toReversed();
  const stateOf = ({ endsAt }: Follower) => effectiveState({ state: 'active', endsAt }, now);
  const wanted = followers.filter(
    (each) => isAskedFor(each, query) && (query.state === 'any' || stateOf(each) === query.state),
  );
  return loadSubscriptions(
    table,
    wanted.slice(0, query.limit + 1).map(({ subscriptionId }) => subscriptionId),
  );
}

interface EndedPage {
  readonly items: readonly Item[];
  /** Undefined behind the last one. */
  readonly next: Record<string, unknown> | undefined;
}

/** The ended subscriptions of a project from a position on, newest first: a MB. One table call. */
export async function endedPage(
  table: Table,
  projectId: string,
  position: Record<string, unknown> | undefined,
): Promise<EndedPage> {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :ended',
      ExpressionAttributeValues: { ':ended': endedSubscriptions(projectId) },
      ScanIndexForward: false,
      ExclusiveStartKey: position,
    }),
  );
  return { items: Items, next: LastEvaluatedKey };
}

/** Pages of one MB: more would hold up the caller. */
const maxPages = 3;

async function listEnded(
  table: Table,
  { projectId, ...query }: SubscriptionQuery,
  wanted: number,
): Promise<EventSubscription[]> {
  const found: EventSubscription[] = [];
  let position: Record<string, unknown> | undefined;
  for (let page = 0; page < maxPages && found.length < wanted; page += 1) {
    const read = await endedPage(table, projectId, position);
    const ended = read.items.map((item) => EventSubscription.parse(item));
    found.push(
      ...ended.filter(
        (each) =>
          isAskedFor(each, { projectId, ...query }) && (query.state === 'any' || each.state === query.state),
      ),
    );
    position = read.next;
    if (!position) break;
  }
  return found.slice(0, wanted);
}

const isAskedFor = (
  { owner, ownerChatId, target }: Pick<EventSubscription, 'owner' | 'ownerChatId' | 'target'>,
  { ownerId, sessionId }: SubscriptionQuery,
): boolean =>
  (ownerId === undefined || owner.id === ownerId) &&
  (sessionId === undefined || ownerChatId === sessionId || target.sessionId === sessionId);
