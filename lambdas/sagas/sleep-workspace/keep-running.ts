// sleep-workspace: KeepRunning
import { trySendWakeUp } from '../../domain/prompts/wake-up.js';
import { keepRunning } from '../../domain/snapshots/end-sleep.js';
import { step } from '../../edge/step.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { SleepInput } from '../inputs.js';

export const handler = step(SleepInput, async ({ input, table, now, newId, log }) => {
  const { waiting } = await keepRunning(table, { ...input, now });
  for (const chatId of waiting) await trySendWakeUp({ wakeUpQueues, log }, { chatId, wakeUpId: newId() });
});
