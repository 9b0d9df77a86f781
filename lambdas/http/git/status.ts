// GET /api/projects/{projectId}/sessions/{sessionId}/git/status
import { GitStatus } from '../../../protocol/workspace-files.js';
import { readOnNode } from '../../domain/nodes/node-files.js';
import { chatRoute } from '../../edge/chat-route.js';
import { reachFiles } from '../files/reach-files.js';
import { status } from './contract.js';

export const handler = chatRoute(status, async (call) => {
  const body = await reachFiles(call, ({ access, workspace }) =>
    readOnNode(access, workspace, { path: 'git/status', reply: GitStatus }),
  );
  return { status: 200, body };
});
