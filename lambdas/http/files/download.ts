// GET /api/projects/{projectId}/sessions/{sessionId}/files/download
import { chatRoute } from '../../edge/chat-route.js';
import { carryFile } from './carry-file.js';
import { download } from './contract.js';

export const handler = chatRoute(download, async (call) => {
  const carried = await carryFile(call, { transfer: 'download' });
  if (carried.status !== 200 && carried.status !== 307)
    throw new Error(`The node answered ${carried.status} to a question without a condition`);
  return carried;
});
