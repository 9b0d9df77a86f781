import { BatchWriteCommand, DeleteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { byOwner, byParent, type Table } from '../../shared/table.js';
import { putItem } from '../records/change-item.js';

/** API Gateway ends a connection after two hours; a row outlives it by ten minutes. */
export const connectionLifetimeSeconds = 2 * 60 * 60 + 10 * 60;

/** Of one connection: a page shows a few workspaces, not hundreds. */
export const maxSubscriptions = 50;

export const Connection = z.object({
  connectionId: z.string(),
  userId: z.string(),
  sessionHash: z.string(),
  /** Epoch seconds. */
  expiresAt: z.int(),
});
export type Connection = z.infer<typeof Connection>;

const Subscription = z.object({ topic: z.string(), connectionId: z.string() });

export const connectionKey = (connectionId: string) => ({
  pk: `CONNECTION#${connectionId}`,
  sk: 'CONNECTION',
});
export const subscriptionKey = (topic: string, connectionId: string) => ({
  pk: `TOPIC#${topic}`,
  sk: `CONNECTION#${connectionId}`,
});
const connectionsOf = (sessionHash: string): string => `SESSION#${sessionHash}#CONNECTIONS`;

/** Remembers a connection that has begun. */
export async function openConnection(
  table: Table,
  { connectionId, userId, sessionHash }: Omit<Connection, 'expiresAt'>,
  now: Date,
): Promise<void> {
  const item = {
    ...connectionKey(connectionId),
    entity: 'connection',
    schemaVersion: 1,
    ownerPk: connectionsOf(sessionHash),
    ownerSk: connectionId,
    connectionId,
    userId,
    sessionHash,
    expiresAt: Math.floor(now.getTime() / 1000) + connectionLifetimeSeconds,
  };
  await putItem(table, item, {});
}

export async function findConnection(table: Table, connectionId: string): Promise<Connection | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: connectionKey(connectionId), ConsistentRead: true }),
  );
  return Item && Connection.parse(Item);
}

/** Adds a topic to a connection; false when it has as many as it may. A repeat changes nothing. */
export async function subscribe(
  table: Table,
  { connectionId, expiresAt }: Connection,
  topic: string,
): Promise<boolean> {
  const topics = await topicsOf(table, connectionId);
  if (topics.includes(topic)) return true;
  if (topics.length >= maxSubscriptions) return false;
  const item = {
    ...subscriptionKey(topic, connectionId),
    entity: 'subscription',
    schemaVersion: 1,
    parentPk: `CONNECTION#${connectionId}`,
    parentSk: `TOPIC#${topic}`,
    topic,
    connectionId,
    expiresAt,
  };
  await putItem(table, item, {});
  return true;
}

export async function unsubscribe(table: Table, connectionId: string, topic: string): Promise<void> {
  // What the caller wants holds afterwards, whether it was there or not.
  await table.client.send(
    new DeleteCommand({ TableName: table.name, Key: subscriptionKey(topic, connectionId) }),
  );
}

/** Forgets a connection and its subscriptions. Repeatable. */
export async function closeConnection(table: Table, connectionId: string): Promise<void> {
  const topics = await topicsOf(table, connectionId);
  const keys = [...topics.map((topic) => subscriptionKey(topic, connectionId)), connectionKey(connectionId)];
  for (let start = 0; start < keys.length; start += batchSize) {
    const RequestItems = {
      [table.name]: keys.slice(start, start + batchSize).map((Key) => ({ DeleteRequest: { Key } })),
    };
    // What is left unprocessed expires by itself, and is taken away when a push to it fails.
    await table.client.send(new BatchWriteCommand({ RequestItems }));
  }
}

/** The most that one BatchWriteItem takes. */
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

/** Connections that have subscribed to a topic. */
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

/** Connections that were opened in a session. */
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
