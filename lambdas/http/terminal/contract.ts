import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';

export const token = contract({
  summary: 'Create a token for the terminals of a workspace',
  description:
    'The workspace must be running. Pass the token as the query parameter `token` to `workspaceUrl` and its WebSocket addresses. The token lives for an hour. Pass `port` to get the address of the service on this port at a host of its own (`preview`); it opens with the token as the query parameter `token`. The host resolves from `readyAt` on, a minute after the first call for the port. `preview` is null in a deployment without a nodes domain. At most 20 ports of a workspace get a host, and keep it until the workspace is deleted; another one gets 409 `PREVIEW_PORT_LIMIT_REACHED`. Limit: 60 an hour.',
  body: z.strictObject({
    workspaceId: Ulid,
    port: z.optional(z.int().check(z.gte(1), z.lte(65_535))),
  }),
  responses: {
    200: z.object({
      token: z.string(),
      /** Epoch milliseconds. */
      expiresAt: z.int(),
      workspaceUrl: z.string(),
      preview: z.optional(z.nullable(z.object({ url: z.string(), readyAt: z.iso.datetime() }))),
    }),
  },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
});
