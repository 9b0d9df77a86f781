// GET /api/projects/{projectId}/sessions/{sessionId}/files/find
import { FoundFiles } from '../../../protocol/workspace-files.js';
import { readOnNode } from '../../domain/nodes/node-files.js';
import { chatRoute } from '../../edge/chat-route.js';
import { find } from './contract.js';
import { reachFiles } from './reach-files.js';

export const handler = chatRoute(find, async (call) => {
  const body = await reachFiles(call, ({ access, workspace }) =>
    readOnNode(access, workspace, { path: 'files/find', reply: FoundFiles }),
  );
  return { status: 200, body };
});
