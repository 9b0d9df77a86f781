import * as z from 'zod/mini';
import { contract } from '../../edge/contract.js';
import { RpcId, RpcMessage } from '../../edge/json-rpc.js';

const Failure = z.object({
  jsonrpc: z.literal('2.0'),
  /** Null when the id of the request could not be read. */
  id: z.nullable(RpcId),
  error: z.object({ code: z.int(), message: z.string(), data: z.optional(z.unknown()) }),
});

const Success = z.object({ jsonrpc: z.literal('2.0'), id: RpcId, result: z.looseObject({}) });

export const call = contract({
  summary: 'Call or list the MCP tools',
  description:
    'Model Context Protocol over Streamable HTTP, without session state and without an event stream. Methods of revisions 2025-11-25 and 2025-06-18: `initialize`, `ping`, `tools/list` and `tools/call`; of 2026-07-28: `server/discover`, `tools/list` and `tools/call`, with the revision in `params._meta` and in the headers. Send one JSON-RPC message a request: a batch gets 400, a notification (a message without an id) 202. The result of `tools/call` has `isError` when the tool refused the call.',
  headers: {
    'mcp-protocol-version': 'The protocol revision: that `initialize` returned, or that of `params._meta`',
    'mcp-method': 'Of 2026-07-28: the method of the message',
    'mcp-name': 'Of 2026-07-28, for `tools/call`: the name of the tool',
  },
  body: RpcMessage,
  example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  responses: {
    200: z.union([Success, Failure]),
    202: null,
    400: Failure,
    401: Failure,
    403: Failure,
    404: Failure,
    413: Failure,
    429: Failure,
    503: Failure,
  },
});
