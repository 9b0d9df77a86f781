import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { contract } from '../../edge/contract.js';

export const token = contract({
  summary: 'Create a token for the terminals of a workspace',
  description:
    'The workspace must be running. A sleeping one is woken: 202 with `Retry-After` until it runs. Pass the token as the query parameter `token` to `workspaceUrl` and its WebSocket addresses. The token lives for an hour. Pass `port` to get the address of the service on this port at a host of its own (`preview`); it opens with the token as the query parameter `token`. The host resolves from `readyAt` on, a minute after the first call for the port. `preview` is null in a deployment without a nodes domain. At most 20 ports of a workspace get a host, and keep it until the workspace is deleted; another one gets 409 `PREVIEW_PORT_LIMIT_REACHED`. Limit: 60 an hour.',
  body: z.strictObject({
    workspaceId: Ulid,
    port: z.optional(z.int().check(z.gte(1), z.lte(65_535))),
  }),
  responses: {
    202: z.object({ status: z.literal('waking') }),
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

export const activity = contract({
  summary: 'Report that a person uses a workspace',
  description:
    'Postpones the sleep or stop of the workspace, as terminal input and requests to ports do by themselves. A report within a minute of the last one changes nothing. 409 when the workspace does not run.',
  body: z.strictObject({ workspaceId: Ulid }),
  responses: { 200: z.object({ ok: z.literal(true) }) },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
});
