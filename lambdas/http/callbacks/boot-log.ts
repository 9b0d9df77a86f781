// POST /api/workspaces/{workspaceId}/boot-log
import { appendBootLog } from '../../domain/boot-log/boot-log.js';
import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { workspaceCallbackRoute } from '../../edge/workspace-callback-route.js';
import { bootLog } from './contract.js';

export const handler = workspaceCallbackRoute(bootLog, async (call) => {
  const { body, workspaceId, nodeId, generation, table, now } = call;
  if (body.generation !== generation) throw new StaleGeneration(workspaceId, body.generation);
  const { entryId, entry } = body;
  const { added } = await appendBootLog(table, { workspaceId, nodeId, generation }, { entryId, entry, now });
  return { status: 200, body: added ? { success: true } : { success: false, reason: 'boot_log_closed' } };
});
