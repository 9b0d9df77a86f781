import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { RateLimited, type RateWindow } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { RateLimit } from './rate-limits.js';

const Counter = z.object({ count: z.int() });

export const rateWindowKey = (limit: RateLimit, id: string, windowStart: number) => ({
  pk: `RATE#${limit.name}#${id}`,
  sk: String(windowStart),
});

/**
 * Counts one request of `id` against a limit, and says how the window stands afterwards. A refused request is
 * not counted. One table call.
 *
 * @throws {RateLimited} the window is full
 */
export async function countRequest(
  table: Table,
  limit: RateLimit,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<RateWindow> {
  const seconds = Math.floor(now.getTime() / 1000);
  const windowStart = seconds - (seconds % limit.windowSeconds);
  const resetAt = windowStart + limit.windowSeconds;
  try {
    const { Attributes } = await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: rateWindowKey(limit, id, windowStart),
        UpdateExpression:
          'SET #entity = :entity, schemaVersion = :version, expiresAt = :expiresAt ADD #count :one',
        ConditionExpression: 'attribute_not_exists(#count) OR #count < :limit',
        ExpressionAttributeNames: { '#count': 'count', '#entity': 'entity' },
        ExpressionAttributeValues: {
          ':entity': 'rate-window',
          ':version': 1,
          ':expiresAt': resetAt + limit.windowSeconds,
          ':one': 1,
          ':limit': limit.limit,
        },
        ReturnValues: 'ALL_NEW',
      }),
    );
    const { count } = Counter.parse(Attributes);
    return { limit: limit.limit, remaining: limit.limit - count, resetAt };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new RateLimited({ limit: limit.limit, remaining: 0, resetAt }, now);
  }
}
