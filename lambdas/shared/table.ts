import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The one table. Domain functions take it as their first argument. */
export interface Table {
  readonly name: string;
  readonly client: DynamoDBDocumentClient;
}

/** Index names; what each serves is in docs/table.md. */
export const byOwner = 'byOwner';
export const byParent = 'byParent';
