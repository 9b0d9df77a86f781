import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { WakeUpQueues } from '../domain/prompts/wake-up.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ WAKE_UP_QUEUE_URL: z.url(), DELAYED_WAKE_UP_QUEUE_URL: z.url() });

/** The queues of the grant `prompts:wake-up`. */
export const wakeUpQueues: WakeUpQueues = {
  client: new SQSClient({}),
  queueUrl: env.WAKE_UP_QUEUE_URL,
  delayedQueueUrl: env.DELAYED_WAKE_UP_QUEUE_URL,
};
