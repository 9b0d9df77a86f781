import * as z from 'zod/mini';
import type { Random } from '../../agent/random.js';
import { deployedName, invokeFunction } from '../invoke-function.js';

const consumer = 'streams/follow-endings';

const StreamRecord = z.looseObject({
  eventName: z.string(),
  dynamodb: z.looseObject({
    NewImage: z.optional(z.record(z.string(), z.object({ S: z.optional(z.string()) }))),
  }),
});
type StreamRecord = z.infer<typeof StreamRecord>;
const Records = z.object({
  Records: z.array(StreamRecord),
  NextShardIterator: z.nullish(z.string()),
});
const kept = 300;

interface Deployed {
  readonly endpoint: string;
  readonly consumerName: string;
  readonly mappingId: string;
}

/**
 * Reads the stream of the table beside its consumer. Delivers batches that the consumer has handled
 * again, and holds later ones back.
 */
export class StreamTap implements AsyncDisposable {
  private readonly waiting = new Map<string, StreamRecord>();
  private readonly handled: StreamRecord[] = [];
  private readonly ended = new AbortController();
  private reading: Promise<void> = Promise.resolve();

  private constructor(private readonly deployed: Deployed) {}

  static async start(endpoint: string): Promise<StreamTap> {
    const consumerName = await deployedName(endpoint, consumer);
    const Mappings = z.object({
      EventSourceMappings: z.array(z.object({ UUID: z.string(), EventSourceArn: z.string() })),
    });
    const listed = await fetch(
      `${endpoint}/2015-03-31/event-source-mappings/?FunctionName=${encodeURIComponent(consumerName)}`,
    );
    const [mapping] = Mappings.parse(await listed.json()).EventSourceMappings;
    if (!mapping) throw new Error('The consumer reads no stream');
    const tap = new StreamTap({ endpoint, consumerName, mappingId: mapping.UUID });
    tap.reading = tap.read(mapping.EventSourceArn);
    return tap;
  }

  /** False when nothing was handled yet. */
  async repeat(random: Random): Promise<boolean> {
    const from = random.between(0, Math.max(0, this.handled.length - 1));
    const batch = this.handled.slice(from, from + random.between(1, 10));
    if (batch.length === 0) return false;
    const { endpoint, consumerName } = this.deployed;
    const times = random.between(1, 2);
    const calls = Array.from({ length: times }, () =>
      // It may be killed by another fault.
      invokeFunction(endpoint, consumerName, { Records: batch }).catch(() => undefined),
    );
    await Promise.all(calls);
    return true;
  }

  /** Later changes of the table reach the consumer after the wait. */
  async holdBack(wait: () => Promise<unknown>): Promise<void> {
    await this.enable(false);
    try {
      await wait();
    } finally {
      await this.enable(true);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    await this.reading;
  }

  private async enable(Enabled: boolean): Promise<void> {
    const { endpoint, mappingId } = this.deployed;
    const path = `${endpoint}/2015-03-31/event-source-mappings/${mappingId}`;
    const answer = await fetch(path, { method: 'PUT', body: JSON.stringify({ Enabled }) });
    if (!answer.ok) throw new Error(`The mapping answered ${answer.status}: ${await answer.text()}`);
  }

  private async read(StreamArn: string): Promise<void> {
    const described = await this.call('DescribeStream', { StreamArn });
    const Stream = z.object({
      StreamDescription: z.object({ Shards: z.array(z.object({ ShardId: z.string() })) }),
    });
    const [shard] = Stream.parse(described).StreamDescription.Shards;
    const place = { StreamArn, ShardId: shard?.ShardId, ShardIteratorType: 'LATEST' };
    const opened = z.object({ ShardIterator: z.string() }).parse(await this.call('GetShardIterator', place));
    let iterator: string | null | undefined = opened.ShardIterator;
    while (iterator && !this.ended.signal.aborted) {
      const page: z.infer<typeof Records> = Records.parse(
        await this.call('GetRecords', { ShardIterator: iterator }),
      );
      for (const record of page.Records) this.keep(record);
      iterator = page.NextShardIterator;
      if (page.Records.length === 0) await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  /** An event is handled when its item leaves the index of unmatched events. */
  private keep(record: StreamRecord): void {
    const image = record.dynamodb.NewImage;
    const entity = image?.entity?.S;
    const pk = image?.pk?.S ?? '';
    if (entity === 'project-event' && record.eventName === 'INSERT') this.waiting.set(pk, record);
    const inserted = this.waiting.get(pk);
    if (inserted && image && !image.parentPk) {
      this.waiting.delete(pk);
      this.handled.push(inserted);
    }
    if (entity === 'event-subscription' || entity === 'prompt') this.handled.push(record);
    while (this.handled.length > kept) this.handled.shift();
  }

  private async call(action: string, body: object): Promise<unknown> {
    const answer = await fetch(this.deployed.endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${action}`,
        authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request',
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${action} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}
