import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { findEvents } from '../project-events/find-event.js';
import type { ProjectEvent } from '../project-events/project-event.js';
import { existingItems } from '../records/batch-items.js';
import type { Delivery } from './delivery-view.js';
import { batchKey, batchPrefix, EventBatch } from './event-batch.js';
import { eventCursor, readEventCursor } from './event-cursor.js';
import { EventMatch, matchPrefix, matchSk } from './event-match.js';
import { subscriptionPartition } from './event-subscription.js';

export interface MatchedEvent extends Delivery {
  readonly event: ProjectEvent;
}

interface EventPage {
  readonly events: readonly MatchedEvent[];
  /** The place after this page, also of the last one: later events follow there. */
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/**
 * The events of a subscription, oldest first. Up to five table calls.
 *
 * @throws {InvalidRequest} the cursor is one of another subscription
 */
export async function listEvents(
  table: Table,
  subscriptionId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<EventPage> {
  const after = cursor === undefined ? 0 : readEventCursor(subscriptionId, cursor);
  const read = await matchesAfter(table, subscriptionId, { after, limit: limit + 1 });
  const matches = read.slice(0, limit);
  const events = new Map(
    (
      await findEvents(
        table,
        matches.map(({ eventId }) => eventId),
      )
    ).map((event) => [event.eventId, event]),
  );
  const batches = await batchesOf(table, matches);
  const last = matches.at(-1);
  return {
    events: matches.flatMap((match) => {
      const event = events.get(match.eventId);
      // It is kept for as long as its matches, and may be deleted a little earlier.
      return event ? [{ event, match, batch: batches.get(match.batchId) }] : [];
    }),
    nextCursor: last ? eventCursor(subscriptionId, last.sequence) : (cursor ?? null),
    hasMore: read.length > limit,
  };
}

async function matchesAfter(
  table: Table,
  subscriptionId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly EventMatch[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':pk': subscriptionPartition(subscriptionId),
        ':from': matchSk(after + 1),
        ':to': `${matchPrefix}~`,
      },
      Limit: limit,
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => EventMatch.parse(item));
}

async function batchesOf(table: Table, matches: readonly EventMatch[]) {
  const ids = [...new Set(matches.flatMap(({ batchId }) => batchId ?? []))];
  const [first] = matches;
  const keys = first ? ids.map((batchId) => batchKey({ ...first, batchId })) : [];
  const batches = (await existingItems(table, keys)).map((item) => EventBatch.parse(item));
  return new Map<string | null, EventBatch>(batches.map((batch) => [batch.batchId, batch]));
}

interface DeliveryPage {
  readonly deliveries: readonly (EventMatch | EventBatch)[];
  readonly hasMore: boolean;
}

/** The newest deliveries: batches, and matches that no batch carries. Two table calls. */
export async function listDeliveries(
  table: Table,
  subscriptionId: string,
  limit: number,
): Promise<DeliveryPage> {
  const newest = (prefix: string) => newestOf(table, { subscriptionId, prefix, limit: limit + 1 });
  const [batches, matches] = await Promise.all([newest(batchPrefix), newest(matchPrefix)]);
  const found = [
    ...batches.map((item) => EventBatch.parse(item)),
    ...matches.map((item) => EventMatch.parse(item)).filter(({ batchId }) => batchId === null),
  ].toSorted((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
  const hasMore = found.length > limit || Math.max(batches.length, matches.length) > limit;
  return { deliveries: found.slice(0, limit), hasMore };
}

const createdAt = (delivery: EventMatch | EventBatch): string =>
  'matchedAt' in delivery ? delivery.matchedAt : delivery.createdAt;

async function newestOf(
  table: Table,
  { subscriptionId, prefix, limit }: { subscriptionId: string; prefix: string; limit: number },
): Promise<readonly Record<string, unknown>[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': subscriptionPartition(subscriptionId), ':prefix': prefix },
      ScanIndexForward: false,
      Limit: limit,
      ConsistentRead: true,
    }),
  );
  return Items;
}
