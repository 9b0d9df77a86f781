import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** The SQS maximum of entries in one call. */
const batchSize = 10;

interface Queue {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

/**
 * Sends a message of each body, ten in a call. SQS refuses single entries of a call that succeeds:
 * they are sent a second time.
 *
 * @throws {Error} entries were refused twice; all others are sent
 */
export async function sendBatch(queue: Queue, bodies: readonly object[]): Promise<void> {
  let refused = 0;
  for (let from = 0; from < bodies.length; from += batchSize) {
    const entries = bodies
      .slice(from, from + batchSize)
      .map((body, index) => ({ Id: String(index), MessageBody: JSON.stringify(body) }));
    const left = await sendEntries(queue, entries);
    refused += left.length > 0 ? (await sendEntries(queue, left)).length : 0;
  }
  if (refused > 0) throw new Error(`SQS refused ${refused} of ${bodies.length} messages`);
}

/** Returns the refused entries. */
async function sendEntries(
  { client, queueUrl }: Queue,
  Entries: SendMessageBatchRequestEntry[],
): Promise<SendMessageBatchRequestEntry[]> {
  const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  const ids = new Set(Failed.map(({ Id }) => Id));
  return Entries.filter(({ Id }) => ids.has(Id));
}
