// GET /api/projects/{projectId}/sessions/{sessionId}/git/diff
import { GitDiff } from '../../../protocol/workspace-files.js';
import { readOnNode } from '../../domain/node-client/file-calls.js';
import { chatRoute } from '../../edge/chat-route.js';
import { callWorkspaceNode } from '../files/call-workspace-node.js';
import { diff } from './contract.js';

export const handler = chatRoute(diff, async ({ query, ...call }) => {
  const body = await callWorkspaceNode(call, ({ access, workspace }) =>
    readOnNode(access, workspace, { path: 'git/diff', query, reply: GitDiff }),
  );
  return { status: 200, body };
});
