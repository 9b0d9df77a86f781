// GET /api/projects/{projectId}/sessions/{sessionId}/files/find
import { FoundFiles } from '../../../protocol/workspace-files.js';
import { readOnNode } from '../../domain/node-client/file-calls.js';
import { chatRoute } from '../../edge/chat-route.js';
import { callWorkspaceNode } from './call-workspace-node.js';
import { find } from './contract.js';

export const handler = chatRoute(find, async (call) => {
  const body = await callWorkspaceNode(call, ({ access, workspace }) =>
    readOnNode(access, workspace, { path: 'files/find', reply: FoundFiles }),
  );
  return { status: 200, body };
});
