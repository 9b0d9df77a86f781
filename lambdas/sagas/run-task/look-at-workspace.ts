// run-task: LookAtWorkspace
import { lookAtWorkspace } from '../../domain/tasks/look-at-workspace.js';
import { step } from '../../edge/step.js';
import { TaskRun } from '../task-run.js';

export const handler = step(TaskRun, ({ input, table, now }) => lookAtWorkspace(table, input, now));
