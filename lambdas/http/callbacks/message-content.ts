// POST /api/workspaces/{workspaceId}/message-content
import { prepareUpload } from '../../domain/chats/content-uploads.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { uploads } from '../../shared/clients/uploads.js';
import { messageContent } from './agent-contract.js';

export const handler = workspaceCallbackRoute(messageContent, async (call) => {
  const { body, workspaceId, nodeId, generation, table, now } = call;
  const reporter = { workspaceId, nodeId, generation };
  return { status: 200, body: await prepareUpload(table, reporter, { request: body, store: uploads, now }) };
});
