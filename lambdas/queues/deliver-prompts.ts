// Queues of bells: delivers what waits in a chat, and ends a task that was to end with it
import * as z from 'zod/mini';
import { Bell, ring, ringAt } from '../domain/prompts/bell.js';
import { deliverNext } from '../domain/prompts/deliver-next.js';
import { finishShutdown } from '../domain/prompts/finish-shutdown.js';
import { bells } from '../edge/bells.js';
import { queueConsumer } from '../edge/consumer.js';
import { signingKeys } from '../shared/clients/signing-keys.js';
import { stepFunctions } from '../shared/clients/step-functions.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ END_RUN_ARN: z.string() });

export const handler = queueConsumer(Bell, async ({ message: { chatId }, table, now, newId, log }) => {
  const next = await deliverNext(table, { keys: signingKeys, now, newId }, chatId);
  if (next.at) await ringAt(bells, { chatId, at: next.at, now });
  if (next.closes) {
    const ends = { stepFunctions, endRunArn: env.END_RUN_ARN };
    await finishShutdown({ table, keys: signingKeys, now, log, ...ends }, chatId);
  }
  if (next.now) await ring(bells, { chatId, ringId: newId() });
});
