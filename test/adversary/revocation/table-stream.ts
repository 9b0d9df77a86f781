import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Table } from '../../../lambdas/shared/table.js';
import { lambdaContext } from '../../support/invoke.js';

type Item = Readonly<Record<string, unknown>>;
type Snapshot = ReadonlyMap<string, Item>;
type Consumer = (event: DynamoDBStreamEvent, context: Context) => Promise<DynamoDBBatchResponse>;

/** The stream of a table as its consumer gets it, and the sagas that the consumer starts. */
export class TableStream {
  private seen: Snapshot = new Map();

  constructor(
    private readonly table: Table,
    private readonly consumer: Consumer,
    /** Runs the sagas that were started since the last call. */
    private readonly runSagas: () => Promise<void>,
  ) {}

  /** Marks the current items as already reported. */
  async begin(): Promise<void> {
    this.seen = await this.snapshot();
  }

  /** Reports each change and runs its consequences until nothing changes any more. */
  async drain(): Promise<void> {
    for (let round = 0; round < 10; round += 1) {
      const before = this.seen;
      const after = await this.snapshot();
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (key) => JSON.stringify(image(before.get(key))) !== JSON.stringify(image(after.get(key))),
      );
      if (changed.length === 0) return;
      this.seen = after;
      const Records = changed.map((key, index) => ({
        eventID: key,
        dynamodb: {
          SequenceNumber: String(index),
          OldImage: image(before.get(key)),
          NewImage: image(after.get(key)),
        },
      }));
      // What the consumer reads of an event.
      const event = { Records } as unknown as DynamoDBStreamEvent;
      const { batchItemFailures } = await this.consumer(event, lambdaContext);
      if (batchItemFailures.length > 0) throw new Error('The consumer of the stream failed');
      await this.runSagas();
    }
    throw new Error('The table does not come to rest');
  }

  private async snapshot(): Promise<Snapshot> {
    const { Items = [], LastEvaluatedKey } = await this.table.client.send(
      new ScanCommand({ TableName: this.table.name, ConsistentRead: true }),
    );
    if (LastEvaluatedKey) throw new Error('The table of a test fits one page');
    return new Map(Items.map((item) => [`${item.pk} ${item.sk}`, item]));
  }
}

const image = (item: Item | undefined) => item && marshall(item, { removeUndefinedValues: true });
