import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';

/** Says that there may be something to deliver in a chat. What there is, the table says. */
export const Bell = z.object({ chatId: Ulid });
export type Bell = z.infer<typeof Bell>;

export interface Bells {
  readonly client: SQSClient;
  /** FIFO, a group a chat: one bell of a chat is answered at a time. */
  readonly queueUrl: string;
  /** Without order, and so with delays: what is to be tried later, or was not heard. */
  readonly laterUrl: string;
}

/** The longest delay that SQS knows. A prompt that waits longer is rung for by the sweep. */
const maxDelaySeconds = 900;
/** The most that one call takes. */
const batchSize = 10;

/** Rings for a chat; `ringId` tells this ring from others, so that a repeat of the same call is one. */
export async function ring(
  { client, queueUrl }: Bells,
  { chatId, ringId }: Bell & { readonly ringId: string },
): Promise<void> {
  await client.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: JSON.stringify({ chatId }),
      MessageGroupId: chatId,
      MessageDeduplicationId: ringId,
    }),
  );
}

/** Rings for a chat when it is time. */
export async function ringAt(
  { client, laterUrl }: Bells,
  { chatId, at, now }: Bell & { readonly at: Date; readonly now: Date },
): Promise<void> {
  const seconds = Math.ceil((at.getTime() - now.getTime()) / 1_000);
  await client.send(
    new SendMessageCommand({
      QueueUrl: laterUrl,
      MessageBody: JSON.stringify({ chatId }),
      DelaySeconds: Math.min(Math.max(0, seconds), maxDelaySeconds),
    }),
  );
}

/**
 * Rings for chats whose bells were lost. Past the group of each chat: a function that died holds up its group until its
 * message is seen again.
 */
export async function ringAgain({ client, laterUrl }: Bells, chatIds: readonly string[]): Promise<void> {
  for (let start = 0; start < chatIds.length; start += batchSize) {
    const Entries = chatIds
      .slice(start, start + batchSize)
      .map((chatId) => ({ Id: chatId, MessageBody: JSON.stringify({ chatId }) }));
    // What of a batch is not taken is rung for by the next sweep.
    await client.send(new SendMessageBatchCommand({ QueueUrl: laterUrl, Entries }));
  }
}
