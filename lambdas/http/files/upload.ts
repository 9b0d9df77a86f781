// POST /api/projects/{projectId}/sessions/{sessionId}/files/upload
import { UploadedFiles } from '../../../protocol/workspace-files.js';
import { readOnNode } from '../../domain/nodes/node-files.js';
import { nodeTimeouts } from '../../domain/nodes/node-timeouts.js';
import { chatRoute } from '../../edge/chat-route.js';
import { upload } from './contract.js';
import { reachFiles } from './reach-files.js';

export const handler = chatRoute(upload, async ({ body: { contentType, content }, ...call }) => {
  const body = { type: contentType, content };
  const uploaded = await reachFiles(
    call,
    ({ access, workspace }) =>
      readOnNode(access, workspace, { path: 'files/upload', body, reply: UploadedFiles }),
    nodeTimeouts.transfer,
  );
  return { status: 200, body: uploaded };
});
