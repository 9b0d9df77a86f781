import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { emulatorAccess } from '../../support/emulator-access.js';
import { RecordStream } from '../record-stream.js';

type Item = Readonly<Record<string, unknown>>;

interface TableChange {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** The changes of a table of the emulator, each once and in their order. */
export class TableStream {
  private constructor(private readonly records: RecordStream) {}

  static async open(TableName: string): Promise<TableStream> {
    const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName }));
    const place = {
      access: emulatorAccess(),
      StreamArn: Table?.LatestStreamArn,
      from: 'TRIM_HORIZON',
    } as const;
    return new TableStream(await RecordStream.open(place));
  }

  /** Those since the last call. */
  async next(): Promise<readonly TableChange[]> {
    return (await this.records.next()).map(({ dynamodb: { OldImage, NewImage } }) => ({
      before: OldImage && unmarshall(OldImage),
      after: NewImage && unmarshall(NewImage),
    }));
  }
}
