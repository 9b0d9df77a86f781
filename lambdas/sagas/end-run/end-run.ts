// end-run: EndRun
import * as z from 'zod/mini';
import { endRun } from '../../domain/tasks/end-run.js';
import { step } from '../../edge/step.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { readEnv } from '../../shared/env.js';
import { TaskRun } from '../task-run.js';

const env = readEnv({ STOP_WORKSPACE_ARN: z.string(), DELETE_WORKSPACE_ARN: z.string() });
const arns = { stopWorkspaceArn: env.STOP_WORKSPACE_ARN, deleteWorkspaceArn: env.DELETE_WORKSPACE_ARN };

export const handler = step(TaskRun, async ({ input, table, now }) => ({
  ended: await endRun({ table, stepFunctions, ...arns, now }, input),
}));
