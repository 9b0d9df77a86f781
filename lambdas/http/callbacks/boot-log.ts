// POST /api/workspaces/{workspaceId}/boot-log
import { appendBootLog } from '../../domain/boot-log/boot-log.js';
import { keepCreationAlive } from '../../domain/sagas/saga-steps.js';
import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { bootLog } from './contract.js';

export const handler = workspaceCallbackRoute(bootLog, async (call) => {
  const { body, workspaceId, nodeId, generation, table, now } = call;
  if (body.generation !== generation) throw new StaleGeneration(workspaceId, body.generation);
  const { entryId, entry } = body;
  const reporter = { workspaceId, nodeId, generation };
  const { added, workspace } = await appendBootLog(table, reporter, { entryId, entry, now });
  // Each entry is a heartbeat, also when the log is full.
  await keepCreationAlive(stepFunctions, workspace);
  return { status: 200, body: added ? { success: true } : { success: false, reason: 'boot_log_closed' } };
});
