// GET /api/projects/{projectId}/sessions/{sessionId}/files/list
import { FolderListing } from '../../../protocol/workspace-files.js';
import { readOnNode } from '../../domain/node-client/file-calls.js';
import { chatRoute } from '../../edge/chat-route.js';
import { callWorkspaceNode } from './call-workspace-node.js';
import { list } from './contract.js';

export const handler = chatRoute(list, async ({ query, ...call }) => {
  const body = await callWorkspaceNode(call, ({ access, workspace }) =>
    readOnNode(access, workspace, { path: 'files/list', query, reply: FolderListing }),
  );
  return { status: 200, body };
});
