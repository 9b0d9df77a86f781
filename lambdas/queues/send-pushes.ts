// Queue of push messages: sends what was added to an inbox to the browsers of its person
import * as z from 'zod/mini';
import { pushItem } from '../domain/push/push-item.js';
import { PushWork } from '../domain/push/push-queue.js';
import { queueConsumer } from '../edge/consumer.js';
import { pushApplicationKey } from '../edge/push.js';
import { pushQueue as queue } from '../edge/push-queue.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ PUBLIC_URL: z.url(), LOCAL_PUSH_SERVICE: z.optional(z.url()) });

export const handler = queueConsumer(PushWork, async ({ message, table, now, log }) => {
  const key = await pushApplicationKey();
  const sender = { key, subject: env.PUBLIC_URL, local: env.LOCAL_PUSH_SERVICE, now };
  await pushItem({ table, queue, sender, log }, message);
});
