// run-task: CheckWorkspace
import { checkTaskWorkspace } from '../../domain/tasks/task-workspace.js';
import { step } from '../../edge/step.js';
import { TaskRun } from '../inputs.js';

export const handler = step(TaskRun, ({ input, table, now }) => checkTaskWorkspace(table, input, now));
