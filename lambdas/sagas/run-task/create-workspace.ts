// run-task: CreateWorkspace
import { createTaskWorkspace } from '../../domain/tasks/task-workspace.js';
import { codeHost } from '../../edge/code-host.js';
import { offer } from '../../edge/offer.js';
import { secretBox } from '../../edge/secret-box.js';
import { step } from '../../edge/step.js';
import { TaskRun } from '../inputs.js';

export const handler = step(TaskRun, ({ input, table, now, newId }) =>
  createTaskWorkspace({ table, secrets: secretBox, codeHost }, input, { now, newId, offer }),
);
