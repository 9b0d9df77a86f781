import * as z from 'zod/mini';

/** JSON-RPC 2.0, as MCP speaks it: ids are texts or whole numbers, parameters are named. */
export const RpcId = z.union([z.string().check(z.maxLength(256)), z.int()]);
export type RpcId = z.infer<typeof RpcId>;

export const RpcMessage = z.object({
  jsonrpc: z.literal('2.0'),
  /** Without one it is a notification, to which there is no answer. */
  id: z.optional(RpcId),
  method: z.string(),
  params: z.optional(z.looseObject({})),
});

export type RpcMessage = z.infer<typeof RpcMessage>;

export const rpcCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  /** Who calls, or how often. */
  refused: -32000,
} as const;
export type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes];

/** A refusal in the words of JSON-RPC. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';

  constructor(
    readonly code: RpcCode,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}
