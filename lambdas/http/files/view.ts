// GET /api/projects/{projectId}/sessions/{sessionId}/files/view
import { isUtf8 } from 'node:buffer';
import { openOnNode } from '../../domain/nodes/node-files.js';
import { readAnswer } from '../../domain/nodes/send-to-node.js';
import { chatRoute } from '../../edge/chat-route.js';
import { InvalidRequest, tooLarge } from '../../shared/errors.js';
import { view } from './contract.js';
import { reachFiles } from './reach-files.js';

const maxBytes = 1024 * 1024;

export const handler = chatRoute(view, async ({ query, ...call }) => {
  const content = await reachFiles(call, async ({ access, workspace }) => {
    const answer = await openOnNode(access, workspace, { path: 'files/raw', query });
    return readAnswer(answer, maxBytes, () => tooLarge('The file has more than 1 MiB'));
  });
  if (!isUtf8(content) || content.includes(0)) {
    const details = [{ field: 'path', message: 'Not a text file' }];
    throw new InvalidRequest('The file is not text: files/raw has it', details, 'NOT_A_TEXT_FILE');
  }
  return { status: 200, body: { filePath: query.path, content: content.toString('utf8') } };
});
