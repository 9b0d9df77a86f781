import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Table } from '../../shared/table.js';
import type { Item } from './batch-items.js';
import { type Change, conditionParameters, type Key, putParameters, updateParameters } from './changes.js';
import type { Conditions } from './conditions.js';
import { asItemTooLarge } from './item-too-large.js';

export type Write =
  | { readonly update: Change }
  | { readonly put: Item; readonly when: Conditions }
  | { readonly delete: Key; readonly when: Conditions }
  /** Changes nothing: the others happen only while it holds. */
  | { readonly check: Key; readonly when: Conditions };

/** One entry a write, in order: whether its condition was what failed, and the item it met. */
export interface Refusal {
  readonly failed: boolean;
  readonly item: Item | undefined;
}

export type TransactionOutcome =
  | { readonly committed: true }
  | { readonly committed: false; readonly refusals: readonly Refusal[] };

/**
 * All writes or none, in one table call. The client repeats a call that meets other transactions.
 *
 * @throws {Unavailable} it met others each time; nothing is written
 * @throws {tooLarge} an item would exceed 400 KB; nothing is written
 */
export async function transact(table: Table, writes: readonly Write[]): Promise<TransactionOutcome> {
  const TransactItems = writes.map((write) => transactItem(table.name, write));
  try {
    await table.client.send(new TransactWriteCommand({ TransactItems }));
    return { committed: true };
  } catch (error) {
    const reasons = (error instanceof TransactionCanceledException && error.CancellationReasons) || [];
    if (!reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) throw asItemTooLarge(error);
    return { committed: false, refusals: reasons.map(readReason) };
  }
}

function transactItem(TableName: string, write: Write) {
  if ('update' in write) return { Update: { TableName, ...updateParameters(write.update) } };
  if ('put' in write) return { Put: { TableName, ...putParameters(write.put, write.when) } };
  if ('delete' in write)
    return { Delete: { TableName, Key: write.delete, ...conditionParameters(write.when) } };
  // A check without a condition is no write that DynamoDB knows.
  const { ConditionExpression = '', ...condition } = conditionParameters(write.when);
  return { ConditionCheck: { TableName, Key: write.check, ConditionExpression, ...condition } };
}

type Reason = NonNullable<TransactionCanceledException['CancellationReasons']>[number];

const readReason = ({ Code, Item }: Reason): Refusal => ({
  failed: Code === 'ConditionalCheckFailed',
  item: Item ? unmarshall(Item) : undefined,
});
