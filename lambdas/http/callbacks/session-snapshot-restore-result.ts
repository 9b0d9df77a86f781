// POST /api/workspaces/{workspaceId}/session-snapshot/restore-result
import { trySendWakeUp } from '../../domain/prompts/wake-up.js';
import { failStep, succeedStep } from '../../domain/sagas/saga-steps.js';
import { restoreFailed } from '../../domain/wake/errors.js';
import { finishWake } from '../../domain/wake/finish-wake.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { sessionSnapshotRestoreResult } from './snapshot-contract.js';

export const handler = workspaceCallbackRoute(sessionSnapshotRestoreResult, async (call) => {
  const { body, workspaceId, nodeId, generation, table, now, newId, log } = call;
  const report = { workspaceId, nodeId, generation, result: body, now };
  const { outcome, taskToken, waiting } = await finishWake(table, report);
  log.info('Restore reported', { workspaceId, nodeId, outcome, status: body.status });
  for (const chatId of waiting) await trySendWakeUp({ wakeUpQueues, log }, { chatId, wakeUpId: newId() });
  if (!taskToken) return { status: 204 };
  if (outcome === 'woken') await succeedStep(stepFunctions, taskToken);
  else await failStep(stepFunctions, taskToken, { error: restoreFailed, cause: causeOf(body) });
  return { status: 204 };
});

const causeOf = ({ status, message }: { readonly status: string; readonly message: string | null }): string =>
  `The node could not restore the workspace (${status})${message ? `: ${message}` : '.'}`;
