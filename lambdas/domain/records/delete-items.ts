import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { Key } from './changes.js';

/** What one batch may write. */
const batchSize = 25;

/**
 * Deletes items whatever they hold; those that are gone already are no error. One table call for every 25.
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
    if (Object.keys(UnprocessedItems ?? {}).length > 0) throw new Unavailable('The table is busy; try again');
  }
}
