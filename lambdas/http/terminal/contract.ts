import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';

export const token = contract({
  summary: 'Create a token for the terminals of a workspace',
  description:
    'The workspace must be running. Pass the token as the query parameter `token` to `workspaceUrl` and its WebSocket addresses. The token lives for an hour. Limit: 60 an hour.',
  body: z.strictObject({ workspaceId: Ulid }),
  responses: {
    200: z.object({
      token: z.string(),
      /** Epoch milliseconds. */
      expiresAt: z.int(),
      workspaceUrl: z.string(),
    }),
  },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
});
