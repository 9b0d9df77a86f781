import * as z from 'zod/mini';

/** JSON-RPC 2.0 as MCP uses it: an id is a string or an integer, parameters are named. */
export const RpcId = z.union([z.string().check(z.maxLength(256)), z.int()]);
export type RpcId = z.infer<typeof RpcId>;

export const RpcMessage = z.object({
  jsonrpc: z.literal('2.0'),
  /** Absent in a notification, which gets no response. */
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
  /** The caller is refused: invalid token, missing right or rate limit. */
  refused: -32000,
  /** A header does not agree with the message. */
  header: -32020,
  /** The message states a revision that is not supported. */
  revision: -32022,
} as const;
export type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes];

/** A JSON-RPC error response. */
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

/** A failure for which the protocol demands a status. */
export class RefusedMessage extends RpcFailure {
  constructor(
    readonly status: 400 | 404,
    { code, message, data }: Pick<RpcFailure, 'code' | 'message' | 'data'>,
  ) {
    super(code, message, data);
  }
}
