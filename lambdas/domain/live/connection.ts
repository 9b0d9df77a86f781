import { BatchWriteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { byOwner, byParent, type Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import {
  connectionLifetimeSeconds,
  countWrites,
  type FullCount,
  fullCount,
  uncountSocket,
} from './socket-counts.js';

/** The limit of one connection. A page shows a few records, not hundreds. */
export const maxSubscriptions = 50;

export const Connection = z.object({
  connectionId: z.string(),
  userId: z.string(),
  sessionHash: z.string(),
  /** Epoch milliseconds; absent in a connection that is not counted. */
  openedAt: z.optional(z.int()),
  /** The subscribed topics. The size of this set enforces the limit. */
  topics: z.optional(z.set(z.string())),
  /** Epoch seconds. */
  expiresAt: z.int(),
});
export type Connection = z.infer<typeof Connection>;

const Subscription = z.object({ topic: z.string(), connectionId: z.string() });

export const connectionKey = (connectionId: string) => ({
  pk: `CONNECTION#${connectionId}`,
  sk: 'CONNECTION',
});
const subscriptionKey = (topic: string, connectionId: string) => ({
  pk: `TOPIC#${topic}`,
  sk: `CONNECTION#${connectionId}`,
});
const connectionsOf = (sessionHash: string): string => `SESSION#${sessionHash}#CONNECTIONS`;

/**
 * Stores a new connection and counts it, in one table call. Returns the count that has reached its
 * limit; nothing is stored then.
 */
export async function openConnection(
  table: Table,
  { connectionId, userId, sessionHash }: Pick<Connection, 'connectionId' | 'userId' | 'sessionHash'>,
  now: Date,
): Promise<FullCount | undefined> {
  const socket = { connectionId, userId, sessionHash, openedAt: now.getTime() };
  const item = {
    ...connectionKey(connectionId),
    entity: 'connection',
    schemaVersion: 1,
    ownerPk: connectionsOf(sessionHash),
    ownerSk: connectionId,
    ...socket,
    expiresAt: Math.floor(now.getTime() / 1000) + connectionLifetimeSeconds,
  };
  const outcome = await transact(table, [...countWrites(socket), { put: item, when: {} }]);
  return outcome.committed ? undefined : fullCount(socket, outcome.refusals);
}

/**
 * Adds a topic to a connection. False when the connection has reached the limit, or has ended.
 * Repeatable. One table call.
 */
export async function subscribe(
  table: Table,
  { connectionId, expiresAt }: Pick<Connection, 'connectionId' | 'expiresAt'>,
  topic: string,
): Promise<boolean> {
  const outcome = await transact(table, [
    {
      update: {
        key: connectionKey(connectionId),
        add: { topics: new Set([topic]) },
        when: { exists: true, fewerThan: { topics: maxSubscriptions } },
      },
    },
    {
      put: {
        ...subscriptionKey(topic, connectionId),
        entity: 'subscription',
        schemaVersion: 1,
        parentPk: `CONNECTION#${connectionId}`,
        parentSk: `TOPIC#${topic}`,
        topic,
        connectionId,
        expiresAt,
      },
      when: {},
    },
  ]);
  if (outcome.committed) return true;
  const met = outcome.refusals[0]?.item;
  return met !== undefined && (Connection.parse(met).topics?.has(topic) ?? false);
}

/** Repeatable, also without a subscription. One table call. */
export async function unsubscribe(table: Table, connectionId: string, topic: string): Promise<void> {
  await transact(table, [
    { delete: subscriptionKey(topic, connectionId), when: {} },
    {
      update: {
        key: connectionKey(connectionId),
        takeOut: { topics: new Set([topic]) },
        when: { exists: true },
      },
    },
  ]);
}

/** Deletes a connection and its subscriptions, and takes it out of the counts. Repeatable. */
export async function closeConnection(table: Table, connectionId: string): Promise<void> {
  const [topics, connection] = await Promise.all([
    topicsOf(table, connectionId),
    findConnection(table, connectionId),
  ]);
  const keys = [...topics.map((topic) => subscriptionKey(topic, connectionId)), connectionKey(connectionId)];
  for (let start = 0; start < keys.length; start += batchSize) {
    const RequestItems = {
      [table.name]: keys.slice(start, start + batchSize).map((Key) => ({ DeleteRequest: { Key } })),
    };
    // What is left unprocessed expires by itself, and is taken away when a push to it fails.
    await table.client.send(new BatchWriteCommand({ RequestItems }));
  }
  const { openedAt } = connection ?? {};
  if (connection && openedAt !== undefined) await uncountSocket(table, { ...connection, openedAt });
}

async function findConnection(table: Table, connectionId: string): Promise<Connection | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: connectionKey(connectionId), ConsistentRead: true }),
  );
  return Item && Connection.parse(Item);
}

/** The limit of BatchWriteItem. */
const batchSize = 25;

async function topicsOf(table: Table, connectionId: string): Promise<readonly string[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: byParent,
      KeyConditionExpression: 'parentPk = :connection',
      ExpressionAttributeValues: { ':connection': `CONNECTION#${connectionId}` },
    }),
  );
  return Items.map((item) => Subscription.parse(item).topic);
}

/**
 * The connections that have subscribed to a topic. The read is consistent: a connection that has
 * just subscribed was sent the state before this change, and must receive the event.
 */
export async function subscribersOf(table: Table, topic: string): Promise<readonly string[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :topic',
      ExpressionAttributeValues: { ':topic': `TOPIC#${topic}` },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => Subscription.parse(item).connectionId);
}

/** The connections that were opened in a sign-in session. */
export async function connectionsOfSession(table: Table, sessionHash: string): Promise<readonly string[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :session',
      ExpressionAttributeValues: { ':session': connectionsOf(sessionHash) },
    }),
  );
  return Items.map((item) => Connection.parse(item).connectionId);
}
