import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';

/**
 * Names a record that something still has to happen to, so that the sweep finds it without reading the whole table.
 * It is written before the record itself changes; only the sweep takes it away, once the record has come to rest. One
 * too many does no harm.
 */
export const Unsettled = z.object({
  kind: z.enum(['WORKSPACE', 'NODE', 'TASK']),
  id: z.string(),
  /** Made anew by each write: the sweep must not take away a marker that was renewed since it looked. */
  mark: z.string(),
});
export type Unsettled = z.infer<typeof Unsettled>;

const partition = 'UNSETTLED';

export const unsettledItem = ({ kind, id, mark }: Unsettled) => ({
  pk: partition,
  sk: `${kind}#${id}`,
  entity: 'unsettled',
  schemaVersion: 1,
  kind,
  id,
  mark,
});

/** One page of a few hundred; the next sweep sees what is beyond, for settled markers go away. */
export async function listUnsettled(table: Table): Promise<readonly Unsettled[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => Unsettled.parse(item));
}

export async function settle(table: Table, { kind, id, mark }: Unsettled): Promise<void> {
  await table.client
    .send(
      new DeleteCommand({
        TableName: table.name,
        Key: { pk: partition, sk: `${kind}#${id}` },
        ConditionExpression: 'mark = :mark',
        ExpressionAttributeValues: { ':mark': mark },
      }),
    )
    .catch((error: unknown) => {
      // Renewed meanwhile: somebody needs it.
      if (!(error instanceof Error && error.name === 'ConditionalCheckFailedException')) throw error;
    });
}
