import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { PushQueue } from '../domain/push/push-queue.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ PUSH_QUEUE_URL: z.url() });

export const pushQueue: PushQueue = { client: new SQSClient({}), queueUrl: env.PUSH_QUEUE_URL };
