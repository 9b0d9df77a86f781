import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import type { EmulatorAccess } from '../../local/access/keys.js';
import { callAws } from '../../local/access/signature.js';

/** An item in the form of DynamoDB. */
const image = () => z.optional(z.custom<Record<string, AttributeValue>>());

const Replies = {
  DescribeStream: z.object({
    StreamDescription: z.object({ Shards: z.array(z.object({ ShardId: z.string() })) }),
  }),
  GetShardIterator: z.object({ ShardIterator: z.string() }),
  GetRecords: z.object({
    Records: z.array(
      z.looseObject({
        eventName: z.string(),
        dynamodb: z.looseObject({
          NewImage: image(),
          OldImage: image(),
        }),
      }),
    ),
    NextShardIterator: z.nullish(z.string()),
  }),
};

export type StreamRecord = z.infer<typeof Replies.GetRecords>['Records'][number];

interface StreamPlace {
  readonly access: EmulatorAccess;
  readonly StreamArn: string | undefined;
  /** TRIM_HORIZON: all that it still has. */
  readonly from: 'LATEST' | 'TRIM_HORIZON';
}

/** The records of a table's stream on the emulator, each once and in their order. */
export class RecordStream {
  private constructor(
    private readonly access: EmulatorAccess,
    private iterator: string | null | undefined,
  ) {}

  static async open({ access, StreamArn, from }: StreamPlace): Promise<RecordStream> {
    const { StreamDescription } = await call(access, 'DescribeStream', { StreamArn });
    const ShardId = StreamDescription.Shards[0]?.ShardId;
    const place = { StreamArn, ShardId, ShardIteratorType: from };
    const { ShardIterator } = await call(access, 'GetShardIterator', place);
    return new RecordStream(access, ShardIterator);
  }

  /** Those since the last call. */
  async next(): Promise<readonly StreamRecord[]> {
    if (!this.iterator) return [];
    const page = await call(this.access, 'GetRecords', { ShardIterator: this.iterator });
    this.iterator = page.NextShardIterator;
    return page.Records;
  }
}

/** The project has no client of this service: deployed functions are called by AWS. */
async function call<Name extends keyof typeof Replies>(
  access: EmulatorAccess,
  name: Name,
  body: object,
): Promise<z.infer<(typeof Replies)[Name]>> {
  const answer = await callAws(access, {
    service: 'dynamodb',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDBStreams_20120810.${name}`,
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`);
  return Replies[name].parse(await answer.json()) as z.infer<(typeof Replies)[Name]>;
}
