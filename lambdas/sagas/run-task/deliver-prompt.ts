// run-task: DeliverPrompt
import { deliverFirstPrompt } from '../../domain/tasks/deliver-first-prompt.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { TaskRun } from '../task-run.js';

export const handler = step(TaskRun, ({ input, table, now, newId }) =>
  deliverFirstPrompt(table, input, { keys: signingKeys, now, newId }),
);
