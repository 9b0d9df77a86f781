import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { Key } from './changes.js';

export type Item = Readonly<Record<string, unknown>>;

/** The item of one of the requested keys. */
export type Find = (key: Key) => Item | undefined;

/**
 * Reads up to 100 items, strongly consistent. One table call.
 *
 * @throws {Unavailable} not all items were read: they must not be taken for absent
 */
export async function getItems(table: Table, keys: readonly Key[]): Promise<Find> {
  // DynamoDB refuses a batch that names an item twice.
  const Keys = [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
  const { Responses, UnprocessedKeys } = await table.client.send(
    new BatchGetCommand({ RequestItems: { [table.name]: { Keys, ConsistentRead: true } } }),
  );
  if (Object.keys(UnprocessedKeys ?? {}).length > 0) throw new Unavailable('The table is busy. Try again.');
  const items = Responses?.[table.name] ?? [];
  return ({ pk, sk }) => items.find((item) => item.pk === pk && item.sk === sk);
}

/** Reads one item, strongly consistent. One table call. @throws {Unavailable} */
export const getItem = async (table: Table, key: Key): Promise<Item | undefined> =>
  (await getItems(table, [key]))(key);

/** The limit of a BatchGetItem call. */
const readSize = 100;

/**
 * Those of the items that exist, in the order of the keys. One table call for each hundred keys.
 *
 * @throws {Unavailable} not all items were read
 */
export async function existingItems(table: Table, keys: readonly Key[]): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (let from = 0; from < keys.length; from += readSize) {
    const some = keys.slice(from, from + readSize);
    const find = await getItems(table, some);
    found.push(...some.map(find).filter((item) => item !== undefined));
  }
  return found;
}

/** The limit of a batch in DynamoDB. */
const batchSize = 25;

/**
 * Deletes items without a condition; missing items are no error. One table call for every 25.
 *
 * @throws {Unavailable} not all of them could be deleted
 */
export async function deleteItems(table: Table, keys: readonly Key[]): Promise<void> {
  for (let from = 0; from < keys.length; from += batchSize) {
    const requests = keys.slice(from, from + batchSize).map(({ pk, sk }) => ({
      DeleteRequest: { Key: { pk, sk } },
    }));
    const { UnprocessedItems } = await table.client.send(
      new BatchWriteCommand({ RequestItems: { [table.name]: requests } }),
    );
    if (Object.keys(UnprocessedItems ?? {}).length > 0)
      throw new Unavailable('The table is busy. Try again.');
  }
}
