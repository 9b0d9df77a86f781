import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';

export const token = contract({
  summary: 'Create a token for the terminals of a workspace',
  description:
    'The workspace must be running. A sleeping one is woken: 202 with `Retry-After` until it runs. Pass the token as bearer token to `workspaceUrl`, or as the query parameter `token` to its WebSocket addresses. The token lives for an hour. Ports have tokens of their own (`POST /api/terminal/preview-token`). Limit: 60 an hour.',
  body: z.strictObject({ workspaceId: Ulid }),
  responses: {
    202: z.object({ status: z.literal('waking') }),
    200: z.object({
      token: z.string(),
      /** Epoch milliseconds. */
      expiresAt: z.int(),
      workspaceUrl: z.string(),
    }),
  },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
});

export const previewToken = contract({
  summary: 'Create a token that opens one port of a workspace in a browser',
  description:
    'Open `url` in a browser with the token as the query parameter `token`. The response is a redirect that removes the token and sets a cookie for this port only. The token lives for a minute, is valid for one navigation, and opens no terminal, no files and no other port. API clients pass a terminal token as bearer token instead. `url` is a host of the port, or a path of `workspaceUrl` in a deployment without a nodes domain. 202 with `Retry-After`: a sleeping workspace wakes (`waking`), or the host does not resolve yet (`naming`, a minute after the first call for the port). At most 20 ports of a workspace get a host, and keep it until the workspace is deleted; another one gets 409 `PREVIEW_PORT_LIMIT_REACHED`. Limit: 120 an hour.',
  body: z.strictObject({ workspaceId: Ulid, port: z.int().check(z.gte(1), z.lte(65_535)) }),
  responses: {
    202: z.object({ status: z.enum(['waking', 'naming']) }),
    200: z.object({
      token: z.string(),
      /** Epoch milliseconds. */
      expiresAt: z.int(),
      url: z.string(),
    }),
  },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
});

export const activity = contract({
  summary: 'Report that a person uses a workspace',
  description:
    'Postpones the sleep or stop of the workspace, as terminal input and requests to ports do by themselves. A report within a minute of the last one changes nothing. 409 when the workspace does not run.',
  body: z.strictObject({ workspaceId: Ulid }),
  responses: { 200: z.object({ ok: z.literal(true) }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
});
