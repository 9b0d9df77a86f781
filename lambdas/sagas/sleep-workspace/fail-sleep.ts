// sleep-workspace: FailSleep
import * as z from 'zod/mini';
import { failSleep } from '../../domain/snapshots/fail-sleep.js';
import { sleepFailureMessage } from '../../domain/snapshots/failure-message.js';
import { step } from '../../edge/step.js';
import { SleepInput } from '../inputs.js';

const Input = z.extend(SleepInput, { error: z.string(), cause: z.string(), isFallback: z.boolean() });

export const handler = step(Input, async ({ input: { error, cause, ...sleep }, table, now, log }) => {
  const { message, isCancelled } = sleepFailureMessage(error, cause);
  const isUnverified = error === 'SnapshotNotVerified';
  const after = await failSleep(table, { ...sleep, message, isCancelled, isUnverified, now });
  log.info('Workspace does not sleep', { workspaceId: sleep.workspaceId, error, after });
  return { after };
});
