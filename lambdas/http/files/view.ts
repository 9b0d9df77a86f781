// GET /api/projects/{projectId}/sessions/{sessionId}/files/view
import { isUtf8 } from 'node:buffer';
import { openOnNode } from '../../domain/node-client/file-calls.js';
import { readBody } from '../../domain/node-client/send-request.js';
import { chatRoute } from '../../edge/chat-route.js';
import { InvalidRequest, tooLarge } from '../../shared/errors.js';
import { callWorkspaceNode } from './call-workspace-node.js';
import { view } from './contract.js';

const maxBytes = 1024 * 1024;

export const handler = chatRoute(view, async ({ query, ...call }) => {
  const content = await callWorkspaceNode(call, async ({ access, workspace }) => {
    const answer = await openOnNode(access, workspace, { path: 'files/raw', query });
    return readBody(answer, maxBytes, () => tooLarge('The file is larger than 1 MiB. Use files/raw.'));
  });
  if (!isUtf8(content) || content.includes(0)) {
    const details = [{ field: 'path', message: 'The file is not UTF-8 text' }];
    throw new InvalidRequest('The file is not UTF-8 text. Use files/raw.', details, 'NOT_A_TEXT_FILE');
  }
  return { status: 200, body: { filePath: query.path, content: content.toString('utf8') } };
});
