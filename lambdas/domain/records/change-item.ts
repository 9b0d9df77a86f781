import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Table } from '../../shared/table.js';
import type { Item } from './batch-items.js';
import { type Change, putParameters, updateParameters } from './changes.js';
import type { Conditions } from './conditions.js';
import { asItemTooLarge } from './item-too-large.js';

/** Whether the write happened; `item` is the requested item if it did, else the present one. */
export type Outcome =
  | { readonly changed: true; readonly item: Item }
  | { readonly changed: false; readonly item: Item | undefined };

/** Changes an item if its conditions hold. One table call. */
export async function changeItem(
  table: Table,
  change: Change,
  returning: 'ALL_OLD' | 'ALL_NEW' = 'ALL_NEW',
): Promise<Outcome> {
  try {
    const { Attributes } = await table.client.send(
      new UpdateCommand({ TableName: table.name, ...updateParameters(change), ReturnValues: returning }),
    );
    return { changed: true, item: Attributes ?? {} };
  } catch (error) {
    return refused(error);
  }
}

/** Writes a whole item if its conditions hold. One table call. */
export async function putItem(table: Table, item: Item, when: Conditions): Promise<Outcome> {
  try {
    await table.client.send(new PutCommand({ TableName: table.name, ...putParameters(item, when) }));
    return { changed: true, item };
  } catch (error) {
    return refused(error);
  }
}

function refused(error: unknown): Outcome {
  if (!(error instanceof ConditionalCheckFailedException)) throw asItemTooLarge(error);
  // The document client leaves the item of an exception in wire format.
  return { changed: false, item: error.Item ? unmarshall(error.Item) : undefined };
}
