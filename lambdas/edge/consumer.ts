import { unmarshall } from '@aws-sdk/util-dynamodb';
import middy from '@middy/core';
import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import type { z } from 'zod/mini';
import { table } from '../shared/clients/documents.js';
import { newId } from '../shared/ids.js';
import { type Log, rootLog } from '../shared/log.js';
import type { Table } from '../shared/table.js';

interface ConsumerCall {
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
  readonly log: Log;
}

/**
 * Handles the messages of a queue one by one, in order. A failed message is reported; in a FIFO
 * queue the later messages of its batch are reported too, to keep their order. A retry cannot
 * repair a malformed message: it is logged and acknowledged.
 */
export function queueConsumer<Schema extends z.ZodMiniType>(
  schema: Schema,
  handle: (call: ConsumerCall & { readonly message: z.output<Schema> }) => Promise<void>,
): (event: SQSEvent, context: Context) => Promise<SQSBatchResponse> {
  const isHandled = async (call: ConsumerCall, { messageId, body }: SQSRecord): Promise<boolean> => {
    const message = schema.safeParse(readJson(body));
    if (message.success) return succeeds(call, () => handle({ ...call, message: message.data }));
    call.log.error('Malformed message', { messageId, error: message.error });
    return true;
  };
  const stack = middy<SQSEvent, SQSBatchResponse>().handler(
    async ({ Records }: SQSEvent, context: Context) => {
      const call = newCall(context);
      const failed: string[] = [];
      for (const record of Records) {
        const isBlocked = failed.length > 0 && record.eventSourceARN.endsWith('.fifo');
        if (isBlocked || !(await isHandled(call, record))) failed.push(record.messageId);
      }
      return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
    },
  );
  return (event, context) => stack(event, context);
}

/** A change of one item of the table. */
interface TableChange {
  readonly eventId: string;
  readonly before: Readonly<Record<string, unknown>> | undefined;
  readonly after: Readonly<Record<string, unknown>> | undefined;
}

interface StreamWork<Found> {
  /** What follows from one change; in order. */
  readonly read: (call: ConsumerCall & { readonly change: TableChange }) => Promise<readonly Found[]>;
  /** Does what follows from all changes of a batch together. */
  readonly act: (call: ConsumerCall & { readonly found: readonly Found[] }) => Promise<void>;
}

/**
 * Handles the table's changes. The first that cannot be read stops the batch, which is then read
 * again from there, after what was found before it was acted on; when acting fails, all of the
 * batch is read again.
 */
export function streamConsumer<Found>({
  read,
  act,
}: StreamWork<Found>): (event: DynamoDBStreamEvent, context: Context) => Promise<DynamoDBBatchResponse> {
  const stack = middy<DynamoDBStreamEvent, DynamoDBBatchResponse>().handler(
    async ({ Records }: DynamoDBStreamEvent, context: Context) => {
      const call = newCall(context);
      const found: Found[] = [];
      const failedAt = await firstFailure(Records, async (record) => {
        const change = tableChange(record);
        return succeeds(call, async () => {
          found.push(...(await read({ ...call, change })));
        });
      });
      const isDone = await succeeds(call, () => act({ ...call, found }));
      const failed = isDone ? failedAt : Records[0];
      if (!failed) return { batchItemFailures: [] };
      return { batchItemFailures: [{ itemIdentifier: failed.dynamodb?.SequenceNumber ?? '' }] };
    },
  );
  return (event, context) => stack(event, context);
}

async function firstFailure<Item>(
  items: readonly Item[],
  isGood: (item: Item) => Promise<boolean>,
): Promise<Item | undefined> {
  for (const item of items) if (!(await isGood(item))) return item;
  return undefined;
}

/** Work done by the clock. */
export function scheduled(handle: (call: ConsumerCall) => Promise<void>) {
  const stack = middy<unknown, void>().handler((_event: unknown, context: Context) =>
    handle(newCall(context)),
  );
  return (event: unknown, context: Context): Promise<void> => stack(event, context);
}

function newCall({ awsRequestId }: Context): ConsumerCall {
  const log = rootLog.createChild({ persistentKeys: { requestId: awsRequestId } });
  return { table, now: new Date(), newId, log };
}

async function succeeds({ log }: ConsumerCall, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    log.error('Record failed', { error: error instanceof Error ? error : String(error) });
    return false;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The types of the event and of the SDK describe one wire format twice.
type Image = Parameters<typeof unmarshall>[0];

function tableChange({ eventID, dynamodb }: DynamoDBRecord): TableChange {
  const read = (image: unknown) => (image ? unmarshall(image as Image) : undefined);
  return { eventId: eventID ?? '', before: read(dynamodb?.OldImage), after: read(dynamodb?.NewImage) };
}
