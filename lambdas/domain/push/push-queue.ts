import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { LiveEvent } from '../../../protocol/live.js';

/** A message of the queue: an item was added to an inbox. Losing one loses one notification. */
export const PushWork = z.object({
  userId: Ulid,
  itemId: z.string(),
  createdAt: z.iso.datetime(),
  /** Given from the second attempt on: those that failed. */
  subscriptionIds: z.optional(z.array(z.string())),
  attempt: z._default(z.int(), 1),
});
export type PushWork = z.infer<typeof PushWork>;

export interface PushQueue {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

/** The limit of a batch in SQS. */
const batchSize = 10;

export async function enqueuePushes(
  { client, queueUrl: QueueUrl }: PushQueue,
  events: readonly LiveEvent[],
): Promise<void> {
  const work = events.flatMap((event) =>
    event.type === 'inbox.added'
      ? [
          {
            userId: event.topic.slice('user:'.length),
            itemId: event.data.item.id,
            createdAt: event.data.item.createdAt,
          },
        ]
      : [],
  );
  for (let from = 0; from < work.length; from += batchSize) {
    const Entries = work
      .slice(from, from + batchSize)
      .map((one, index) => ({ Id: String(index), MessageBody: JSON.stringify(one) }));
    await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
}

export async function enqueueRetry(
  { client, queueUrl: QueueUrl }: PushQueue,
  work: PushWork,
  DelaySeconds: number,
): Promise<void> {
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(work), DelaySeconds }));
}
