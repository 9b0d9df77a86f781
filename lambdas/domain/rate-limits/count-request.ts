import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import { RateLimited, type RateWindow } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { SlotsTaken } from './errors.js';
import type { RateLimit } from './rate-limits.js';

type Limit = Pick<RateLimit, 'name' | 'limit' | 'windowSeconds' | 'inFlight'>;

interface Counting {
  readonly id: string;
  readonly now: Date;
  /** What the request counts for: bytes, where the limit is of bytes. */
  readonly amount?: number;
  /** The slot that it takes as long as it is in progress, where the limit has slots. */
  readonly lease?: string;
}

const Counter = z.object({
  count: z._default(z.int(), 0),
  leases: z._default(z.set(z.string()), new Set()),
});

export const windowStart = (limit: Pick<Limit, 'windowSeconds'>, now: Date): number => {
  const seconds = Math.floor(now.getTime() / 1000);
  return seconds - (seconds % limit.windowSeconds);
};

export const rateWindowKey = (limit: Pick<Limit, 'name'>, id: string, start: number) => ({
  pk: `RATE#${limit.name}#${id}`,
  sk: String(start),
});

/**
 * Counts one request of `id` against a limit, and says how the window stands afterwards. A refused
 * request is not counted. One table call.
 *
 * @throws {RateLimited} the window is full
 * @throws {SlotsTaken} it has room, but no slot is free
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the exits of one loop, which share its state
export async function countRequest(table: Table, limit: Limit, counting: Counting): Promise<RateWindow> {
  const { id, now, amount = 1, lease } = counting;
  const start = windowStart(limit, now);
  const resetAt = start + limit.windowSeconds;
  try {
    const { Attributes } = await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: rateWindowKey(limit, id, start),
        UpdateExpression: `SET #entity = :entity, schemaVersion = :version, expiresAt = :expiresAt ADD #count :amount${lease ? ', leases :lease' : ''}`,
        ConditionExpression: `(attribute_not_exists(#count) OR #count <= :room)${lease ? ' AND (attribute_not_exists(leases) OR size(leases) < :slots)' : ''}`,
        ExpressionAttributeNames: { '#count': 'count', '#entity': 'entity' },
        ExpressionAttributeValues: {
          ':entity': 'rate-window',
          ':version': 1,
          ':expiresAt': resetAt + limit.windowSeconds,
          ':amount': amount,
          ':room': limit.limit - amount,
          ...(lease ? { ':lease': new Set([lease]), ':slots': limit.inFlight ?? 1 } : {}),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    const { count } = Counter.parse(Attributes);
    return { limit: limit.limit, remaining: limit.limit - count, resetAt };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { count, leases } = Counter.parse(error.Item ? unmarshall(error.Item) : {});
    // Without a lease there is one condition, whatever the item says by now.
    if (lease && count <= limit.limit - amount) throw new SlotsTaken([...leases]);
    throw new RateLimited({ limit: limit.limit, remaining: 0, resetAt }, now);
  }
}
