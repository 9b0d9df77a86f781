import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createSubscription } from '../../../lambdas/domain/event-subscriptions/create-subscription.js';
import { EventMatch, matchPrefix } from '../../../lambdas/domain/event-subscriptions/event-match.js';
import {
  EventSubscription,
  subscriptionKey,
  subscriptionPartition,
} from '../../../lambdas/domain/event-subscriptions/event-subscription.js';
import {
  type AgentOwner,
  newAgentSubscription,
  type SubscriptionRequest,
} from '../../../lambdas/domain/event-subscriptions/new-subscription.js';
import type { EventContent } from '../../../lambdas/domain/project-events/event-content.js';
import {
  eventItem,
  newEvent,
  type ProjectEvent,
} from '../../../lambdas/domain/project-events/project-event.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import type { Key } from '../../../lambdas/domain/records/changes.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { lambdaContext } from '../../support/invoke.js';

type Row = Readonly<Record<string, unknown>>;

export const contentOf = (change: Partial<EventContent> = {}): EventContent => ({
  source: 'builds',
  eventType: 'build.failed',
  subject: { type: 'build', id: '42' },
  severity: 'error',
  deliveryKey: newId(),
  metadata: { step: 'compile' },
  display: { title: 'Build 42 failed' },
  rawPayloadRef: null,
  occurredAt: new Date().toISOString(),
  ...change,
});

export const anEvent = (
  projectId: string,
  change: Partial<EventContent> = {},
  now = new Date(),
): ProjectEvent => newEvent(projectId, contentOf(change), now);

export interface Subscribing extends Partial<SubscriptionRequest> {
  readonly projectId: string;
  readonly owner?: Partial<AgentOwner>;
  readonly isWakeEnabled?: boolean;
  readonly now?: Date;
}

export function aSubscription(asked: Subscribing): EventSubscription {
  const { projectId, owner, isWakeEnabled = false, now = new Date(), ...request } = asked;
  return newAgentSubscription(
    {
      ...{ projectId, chatId: newId(), taskId: newId(), userId: newId(), agentSessionId: newId() },
      tokenEndsAt: now.getTime() + 8 * 60 * 60_000,
      ...owner,
    },
    {
      ...{ idempotencyKey: newId(), filter: { version: 1, source: 'builds' }, target: {}, reason: null },
      ...{ requestedDelivery: 'record_only', expiresAt: null },
      ...request,
    },
    { isWakeEnabled, now },
  );
}

export async function subscribe(table: Table, asked: Subscribing): Promise<EventSubscription> {
  const { subscription } = await createSubscription(table, aSubscription(asked), asked.now ?? new Date());
  return subscription;
}

export async function readItem(table: Table, key: Key): Promise<Row | undefined> {
  return await getItem(table, key);
}

export const readSubscription = async (table: Table, { subscriptionId }: EventSubscription) =>
  EventSubscription.parse(await readItem(table, subscriptionKey(subscriptionId)));

/** The matches of a subscription, in order. */
export async function matchesOf(table: Table, { subscriptionId }: EventSubscription): Promise<EventMatch[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :matches)',
      ExpressionAttributeValues: {
        ':pk': subscriptionPartition(subscriptionId),
        ':matches': matchPrefix,
      },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => EventMatch.parse(item));
}

type StreamHandler = (event: DynamoDBStreamEvent, context: Context) => Promise<DynamoDBBatchResponse>;
type RowChange = readonly [before: Row | undefined, after: Row | undefined];

/** Sends changes to a consumer of the table's stream, as the service does. */
export function streamOf(handler: StreamHandler, changes: readonly RowChange[]) {
  const image = (item: Row | undefined) => item && marshall(item, { removeUndefinedValues: true });
  const Records = changes.map(([before, after], index) => ({
    eventID: String(index),
    dynamodb: { SequenceNumber: String(index), OldImage: image(before), NewImage: image(after) },
  }));
  // What the consumer reads of an event.
  return handler({ Records } as DynamoDBStreamEvent, lambdaContext);
}

/** The insertion of an event, as the stream shows it. */
export const inserted = (event: ProjectEvent): RowChange => [undefined, eventItem(event)];
