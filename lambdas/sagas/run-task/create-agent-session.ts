// run-task: CreateAgentSession
import * as z from 'zod/mini';
import { createTaskAgentSession } from '../../domain/tasks/start-agent.js';
import { step } from '../../edge/step.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { TaskRun } from '../inputs.js';

const env = readEnv({ PUBLIC_URL: z.url() });

export const handler = step(TaskRun, ({ input, table, now, newId }) =>
  createTaskAgentSession(table, input, { keys: signingKeys, publicUrl: env.PUBLIC_URL, now, newId }),
);
