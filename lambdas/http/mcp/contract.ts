import * as z from 'zod/mini';
import { contract } from '../../edge/contract.js';
import { RpcId, RpcMessage } from '../../edge/json-rpc.js';

const Failure = z.object({
  jsonrpc: z.literal('2.0'),
  /** Null where the request's own could not be read. */
  id: z.nullable(RpcId),
  error: z.object({ code: z.int(), message: z.string(), data: z.optional(z.unknown()) }),
});
const Success = z.object({ jsonrpc: z.literal('2.0'), id: RpcId, result: z.looseObject({}) });

export const call = contract({
  summary: 'Call a tool, or ask which there are',
  description:
    'The Model Context Protocol over Streamable HTTP, without state and without a stream: `initialize`, `ping`, `tools/list` and `tools/call`. A message without an id is answered 202, a batch 400.',
  headers: { 'mcp-protocol-version': 'The revision that `initialize` has settled' },
  body: RpcMessage,
  example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  responses: {
    200: z.union([Success, Failure]),
    202: null,
    400: Failure,
    401: Failure,
    403: Failure,
    413: Failure,
    429: Failure,
    503: Failure,
  },
});
