// GET /api/projects/{projectId}/sessions/{sessionId}/files/raw
import { chatRoute } from '../../edge/chat-route.js';
import { raw } from './contract.js';
import { proxyFile } from './proxy-file.js';

export const handler = chatRoute(raw, (call) =>
  proxyFile(call, { transfer: 'raw', asks: Object.keys(raw.headers ?? {}) }),
);
