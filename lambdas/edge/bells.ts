import * as z from 'zod/mini';
import type { Bells } from '../domain/prompts/bell.js';
import { sqs } from '../shared/clients/sqs.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ PROMPTS_QUEUE_URL: z.url(), LATER_PROMPTS_QUEUE_URL: z.url() });

/** The queues of the grant `prompts:ring`. */
export const bells: Bells = {
  client: sqs,
  queueUrl: env.PROMPTS_QUEUE_URL,
  laterUrl: env.LATER_PROMPTS_QUEUE_URL,
};
