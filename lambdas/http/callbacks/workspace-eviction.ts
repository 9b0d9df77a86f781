// POST /api/projects/{projectId}/workspaces/{workspaceId}/eviction
import { evictWorkspace } from '../../domain/evictions/evict-workspace.js';
import { recoverEvicted } from '../../domain/evictions/recover-evicted.js';
import { trySendWakeUp } from '../../domain/prompts/wake-up.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { wakeUpQueues } from '../../edge/wake-up-queues.js';
import { workspaceEviction } from './agent-contract.js';

export const handler = workspaceCallbackRoute(workspaceEviction, async (call) => {
  const { params, body: report, workspaceId, nodeId, generation, table, now, newId, log } = call;
  const reporter = { workspaceId, nodeId, generation, projectId: params.projectId };
  const { isNew, waiting, recovers } = await evictWorkspace(table, reporter, { report, now });
  const { reason, workInFlight } = report;
  if (isNew) log.warn('Workspace evicted', { workspaceId, nodeId, reason, workInFlight });
  // A repeat continues what a lost run of this function has left; otherwise the sweep does.
  const continued = recovers ? await recoverEvicted({ table, now, log }, workspaceId) : [];
  for (const chatId of new Set([...waiting, ...continued]))
    await trySendWakeUp({ wakeUpQueues, log }, { chatId, wakeUpId: newId() });
  return { status: 204 };
});
