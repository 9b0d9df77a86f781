// Wake-up queues: delivers what waits in a chat, and ends the task of a chat that was shut down
import { deliverAnswer } from '../domain/interactions/deliver-answer.js';
import { deliverNext } from '../domain/prompts/delivery-worker.js';
import { finishShutdown } from '../domain/prompts/shutdown.js';
import { sendWakeUp, sendWakeUpAt, WakeUp } from '../domain/prompts/wake-up.js';
import { requestWake } from '../domain/wake/request-wake.js';
import { queueConsumer } from '../edge/consumer.js';
import { sagasOf } from '../edge/sagas.js';
import { secretBox as secrets } from '../edge/secret-box.js';
import { wakeUpQueues } from '../edge/wake-up-queues.js';
import { signingKeys } from '../shared/clients/signing-keys.js';

const sagas = sagasOf('end-run', 'provision-workspace');

export const handler = queueConsumer(WakeUp, async ({ message, table, now, newId, log }) => {
  const { chatId, interactionId } = message;
  if (interactionId !== undefined) {
    const named = { chatId, interactionId };
    const at = await deliverAnswer(table, { keys: signingKeys, secrets, now }, named);
    if (at) await sendWakeUpAt(wakeUpQueues, { ...named, at, now: new Date() });
    return;
  }
  const wake = async (workspaceId: string) => {
    const wanted = await requestWake(table, { workspaceId, now, newId });
    // The sweep starts it when this fails.
    if (wanted.is === 'waking') await sagas.startProvisionWorkspace(wanted.workspace);
  };
  const next = await deliverNext(table, { keys: signingKeys, now, newId, wake }, chatId);
  if (next.at) await sendWakeUpAt(wakeUpQueues, { chatId, at: next.at, now });
  if (next.endsChat) await finishShutdown({ table, keys: signingKeys, sagas, now, log }, chatId);
  if (next.now) await sendWakeUp(wakeUpQueues, { chatId, wakeUpId: newId() });
});
