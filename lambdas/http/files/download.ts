// GET /api/projects/{projectId}/sessions/{sessionId}/files/download
import { chatRoute } from '../../edge/chat-route.js';
import { download } from './contract.js';
import { proxyFile } from './proxy-file.js';

export const handler = chatRoute(download, async (call) => {
  const response = await proxyFile(call, { transfer: 'download' });
  if (response.status !== 200 && response.status !== 307)
    throw new Error(`The node answered ${response.status} to a request without a condition`);
  return response;
});
