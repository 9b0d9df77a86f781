import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

type Item = Readonly<Record<string, unknown>>;
type Image = Parameters<typeof unmarshall>[0];

interface TableChange {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

interface StreamRecord {
  readonly dynamodb: { readonly OldImage?: Image; readonly NewImage?: Image };
}

interface Replies {
  readonly DescribeStream: {
    readonly StreamDescription: { readonly Shards: { readonly ShardId: string }[] };
  };
  readonly GetShardIterator: { readonly ShardIterator: string };
  readonly GetRecords: { readonly Records: readonly StreamRecord[]; readonly NextShardIterator: string };
}

/** The changes of a table of the emulator, each once and in their order. */
export class TableStream {
  private constructor(private iterator: string) {}

  static async open(TableName: string): Promise<TableStream> {
    const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName }));
    const StreamArn = Table?.LatestStreamArn;
    const { StreamDescription } = await call('DescribeStream', { StreamArn });
    const ShardId = StreamDescription.Shards[0]?.ShardId;
    const from = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    return new TableStream((await call('GetShardIterator', from)).ShardIterator);
  }

  /** Those since the last call. */
  async next(): Promise<readonly TableChange[]> {
    const { Records, NextShardIterator } = await call('GetRecords', { ShardIterator: this.iterator });
    this.iterator = NextShardIterator;
    return Records.map(({ dynamodb: { OldImage, NewImage } }) => ({
      before: OldImage && unmarshall(OldImage),
      after: NewImage && unmarshall(NewImage),
    }));
  }
}

/** The project has no client of this service: deployed functions are called by AWS. */
async function call<Name extends keyof Replies>(name: Name, body: object): Promise<Replies[Name]> {
  const response = await fetch(process.env.AWS_ENDPOINT_URL ?? '', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDBStreams_20120810.${name}`,
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none',
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${name} answered ${response.status}: ${await response.text()}`);
  // The emulator answers as AWS documents it.
  return (await response.json()) as Replies[Name];
}
