// GET /api/projects/{projectId}/sessions/{sessionId}/files/list
import { FolderListing } from '../../../protocol/workspace-files.js';
import { readOnNode } from '../../domain/nodes/node-files.js';
import { chatRoute } from '../../edge/chat-route.js';
import { list } from './contract.js';
import { reachFiles } from './reach-files.js';

export const handler = chatRoute(list, async ({ query, ...call }) => {
  const body = await reachFiles(call, ({ access, workspace }) =>
    readOnNode(access, workspace, { path: 'files/list', query, reply: FolderListing }),
  );
  return { status: 200, body };
});
