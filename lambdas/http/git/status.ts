// GET /api/projects/{projectId}/sessions/{sessionId}/git/status
import { GitStatus } from '../../../protocol/workspace-files.js';
import { readOnNode } from '../../domain/node-client/file-calls.js';
import { chatRoute } from '../../edge/chat-route.js';
import { callWorkspaceNode } from '../files/call-workspace-node.js';
import { status } from './contract.js';

export const handler = chatRoute(status, async (call) => {
  const body = await callWorkspaceNode(call, ({ access, workspace }) =>
    readOnNode(access, workspace, { path: 'git/status', reply: GitStatus }),
  );
  return { status: 200, body };
});
