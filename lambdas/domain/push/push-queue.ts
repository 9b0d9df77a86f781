import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { LiveEvent } from '../../../protocol/live.js';
import { sendBatch } from '../../shared/send-batch.js';

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

/** @throws {Error} SQS refused messages twice; the others are sent */
export async function enqueuePushes(queue: PushQueue, events: readonly LiveEvent[]): Promise<void> {
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
  await sendBatch(queue, work);
}

export async function enqueueRetry(
  { client, queueUrl: QueueUrl }: PushQueue,
  work: PushWork,
  DelaySeconds: number,
): Promise<void> {
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(work), DelaySeconds }));
}
