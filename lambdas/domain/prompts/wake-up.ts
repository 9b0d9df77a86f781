import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Log } from '../../shared/log.js';
import { sendBatch } from '../../shared/send-batch.js';

/**
 * A queue message: the worker looks in the table for work in this chat. Losing one loses nothing.
 */
export const WakeUp = z.object({
  chatId: Ulid,
  /** Given: the answer of this interaction is due, not a prompt. */
  interactionId: z.optional(z.string()),
});
export type WakeUp = z.infer<typeof WakeUp>;

export interface WakeUpQueues {
  readonly client: SQSClient;
  /** FIFO with one group per chat: the worker handles one wake-up of a chat at a time. */
  readonly queueUrl: string;
  /** Not FIFO, because SQS cannot delay single messages of a FIFO queue. */
  readonly delayedQueueUrl: string;
}

/** The SQS maximum. The sweep wakes chats that wait longer. */
const maxDelaySeconds = 900;
type OneWakeUp = WakeUp & {
  /** SQS drops a second message with this id. */
  readonly wakeUpId: string;
};

export async function sendWakeUp(
  { client, queueUrl }: WakeUpQueues,
  { chatId, wakeUpId }: OneWakeUp,
): Promise<void> {
  await client.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: JSON.stringify({ chatId }),
      MessageGroupId: chatId,
      MessageDeduplicationId: wakeUpId,
    }),
  );
}

/**
 * Sends a wake-up for work that is stored already. A failure is only logged: the sweep sends the
 * wake-up again.
 */
export async function trySendWakeUp(
  { wakeUpQueues, log }: { readonly wakeUpQueues: WakeUpQueues; readonly log: Log },
  wakeUp: OneWakeUp,
): Promise<void> {
  await sendWakeUp(wakeUpQueues, wakeUp).catch((error: unknown) => {
    log.error('Wake-up not sent', { chatId: wakeUp.chatId, error });
  });
}

/** Sends a wake-up that arrives at `at`, or after the longest delay of SQS. */
export async function sendWakeUpAt(
  { client, delayedQueueUrl }: WakeUpQueues,
  { chatId, interactionId, at, now }: WakeUp & { readonly at: Date; readonly now: Date },
): Promise<void> {
  const seconds = Math.ceil((at.getTime() - now.getTime()) / 1_000);
  await client.send(
    new SendMessageCommand({
      QueueUrl: delayedQueueUrl,
      MessageBody: JSON.stringify({ chatId, interactionId }),
      DelaySeconds: Math.min(Math.max(0, seconds), maxDelaySeconds),
    }),
  );
}

/**
 * Wakes chats whose wake-ups were lost. It avoids the FIFO queue: a function that died blocks the
 * group of its chat until its message becomes visible again.
 *
 * @throws {Error} SQS refused wake-ups twice; the next sweep sends them again
 */
export async function resendWakeUps(
  { client, delayedQueueUrl: queueUrl }: WakeUpQueues,
  chatIds: readonly string[],
): Promise<void> {
  await sendBatch(
    { client, queueUrl },
    chatIds.map((chatId) => ({ chatId })),
  );
}
