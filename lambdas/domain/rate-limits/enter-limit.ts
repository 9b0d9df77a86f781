import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type RateWindow, tooManyInFlight } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { countRequest, rateWindowKey, windowStart } from './count-request.js';
import { SlotsTaken } from './errors.js';
import type { RateLimit } from './rate-limits.js';

interface Entering {
  readonly id: string;
  readonly leaseId: string;
  readonly now: Date;
  /** After so long the request has ended, whether it gave its slot back or not. */
  readonly holdSeconds: number;
}

export interface Entry {
  readonly window: RateWindow;
  /** Gives the slot back; does nothing where the limit has no slots. */
  leave(): Promise<void>;
}

type Limit = Pick<RateLimit, 'name' | 'limit' | 'windowSeconds' | 'inFlight'>;

/**
 * Counts a request and takes one of its caller's slots, in one table call; leaving is another. A
 * slot is a lease in the window's own item. A function that dies leaves its lease behind, which the
 * next request that finds no slot removes once it has expired.
 *
 * @throws {RateLimited} the window is full
 * @throws {TooManyInFlight} every slot is taken
 */
export async function enterLimit(table: Table, limit: Limit, entering: Entering): Promise<Entry> {
  const { id, now, leaseId, holdSeconds } = entering;
  const { inFlight } = limit;
  if (inFlight === undefined)
    return { window: await countRequest(table, limit, { id, now }), leave: async () => undefined };

  const key = rateWindowKey(limit, id, windowStart(limit, now));
  const lease = `${now.getTime() + holdSeconds * 1_000}#${leaseId}`;
  const take = () => countRequest(table, limit, { id, now, lease });
  const window = await take().catch(async (error: unknown) => {
    const expired = expiredOf(error, now);
    if (expired.length > 0) await drop(table, key, expired);
    else throw refusal(error, inFlight);
    return take().catch((again: unknown) => {
      throw refusal(again, inFlight);
    });
  });
  return { window, leave: () => drop(table, key, [lease]) };
}

function expiredOf(error: unknown, now: Date): readonly string[] {
  if (!(error instanceof SlotsTaken)) return [];
  return error.leases.filter((lease) => Number.parseInt(lease, 10) <= now.getTime());
}

const refusal = (error: unknown, inFlight: number): unknown =>
  error instanceof SlotsTaken ? tooManyInFlight(inFlight) : error;

async function drop(table: Table, key: Readonly<Record<string, string>>, leases: readonly string[]) {
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: key,
        UpdateExpression: 'DELETE leases :leases',
        // The item of a window that has passed may be gone, and must not come back.
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':leases': new Set(leases) },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
