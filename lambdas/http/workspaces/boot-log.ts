// GET /api/workspaces/{workspaceId}/boot-log
import { listBootLog } from '../../domain/boot-log/boot-log.js';
import { sessionRoute } from '../../edge/session-route.js';
import { bootLog } from './contract.js';

export const handler = sessionRoute(bootLog, async ({ params, user, table }) => {
  const entries = await listBootLog(table, { workspaceId: params.workspaceId, userId: user.userId });
  return { status: 200, body: { logs: entries.map(({ entryId, entry }) => ({ ...entry, entryId })) } };
});
