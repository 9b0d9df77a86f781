// end-run: EndRun
import { endRun } from '../../domain/tasks/end-run.js';
import { sagasOf } from '../../edge/sagas.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { uploads } from '../../shared/clients/uploads.js';
import { TaskRun } from '../inputs.js';

const sagas = sagasOf('stop-workspace', 'delete-workspace', 'sleep-workspace');

export const handler = step(TaskRun, async ({ input, table, now, newId, log }) => {
  const kept = { keys: signingKeys, objects: uploads, log };
  return { ended: await endRun({ table, stepFunctions, sagas, now, newId, kept }, input) };
});
