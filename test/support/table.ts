import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DynamoDBClient,
  type GlobalSecondaryIndex,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { openTable } from '../../lambdas/shared/open-table.js';
import type { Table } from '../../lambdas/shared/table.js';

/**
 * Makes an empty table with the keys and indexes of infra/constructs/state-table.ts, and returns
 * its name.
 */
export async function createTable(): Promise<string> {
  const client = new DynamoDBClient({});
  const name = `berth-${randomUUID()}`;
  const attributes = ['pk', 'sk', 'ownerPk', 'ownerSk', 'parentPk', 'parentSk'];
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: keySchema('pk', 'sk'),
      GlobalSecondaryIndexes: [index('byOwner', 'owner'), index('byParent', 'parent')],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName: name });
  return name;
}

/** The table of this test run, which all its files share: make your own ids. */
export function sharedTable(): Table {
  const { TABLE_NAME } = process.env;
  if (!TABLE_NAME)
    throw new Error('TABLE_NAME is not set: is test/support/emulator.setup.ts the globalSetup?');
  return openTable(TABLE_NAME);
}

/** An empty table of one's own, for rules that look at all there is. */
export const emptyTable = async (): Promise<Table> => openTable(await createTable());

const keySchema = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

const index = (IndexName: string, prefix: string): GlobalSecondaryIndex => ({
  IndexName,
  KeySchema: keySchema(`${prefix}Pk`, `${prefix}Sk`),
  Projection: { ProjectionType: 'ALL' },
});
