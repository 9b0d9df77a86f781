// run-task: DeliverPrompt
import { deliverFirstPrompt } from '../../domain/tasks/start-agent.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { TaskRun } from '../inputs.js';

export const handler = step(TaskRun, ({ input, table, now, newId }) =>
  deliverFirstPrompt(table, input, { keys: signingKeys, now, newId }),
);
