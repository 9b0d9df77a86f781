// Queues of bells: delivers what waits in a chat
import { Bell, ring, ringAt } from '../domain/prompts/bell.js';
import { deliverNext } from '../domain/prompts/deliver-next.js';
import { bells } from '../edge/bells.js';
import { queueConsumer } from '../edge/consumer.js';
import { signingKeys } from '../shared/clients/signing-keys.js';

export const handler = queueConsumer(Bell, async ({ message: { chatId }, table, now, newId }) => {
  const next = await deliverNext(table, { keys: signingKeys, now, newId }, chatId);
  if (next.at) await ringAt(bells, { chatId, at: next.at, now });
  if (next.now) await ring(bells, { chatId, ringId: newId() });
});
