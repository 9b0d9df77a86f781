// GET /api/projects/{projectId}/sessions/{sessionId}/files/raw
import { chatRoute } from '../../edge/chat-route.js';
import { carryFile } from './carry-file.js';
import { raw } from './contract.js';

export const handler = chatRoute(raw, (call) =>
  carryFile(call, { transfer: 'raw', asks: Object.keys(raw.headers ?? {}) }),
);
