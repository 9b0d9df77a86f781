// POST /api/projects/{projectId}/sessions/{sessionId}/files/upload
import { UploadedFiles } from '../../../protocol/workspace-files.js';
import { readOnNode } from '../../domain/node-client/file-calls.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { chatRoute } from '../../edge/chat-route.js';
import { callWorkspaceNode } from './call-workspace-node.js';
import { upload } from './contract.js';

export const handler = chatRoute(upload, async ({ body: { contentType, content }, ...call }) => {
  const body = { type: contentType, content };
  const uploaded = await callWorkspaceNode(
    call,
    ({ access, workspace }) =>
      readOnNode(access, workspace, { path: 'files/upload', body, reply: UploadedFiles }),
    nodeTimeouts.transfer,
  );
  return { status: 200, body: uploaded };
});
