import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { readEnv } from '../env.js';
import type { Table } from '../table.js';

const env = readEnv({ TABLE_NAME: z.string() });

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  marshallOptions: { removeUndefinedValues: true },
});

/** The one table, as every function that touches it sees it. */
export const table: Table = { name: env.TABLE_NAME, client: documents };
