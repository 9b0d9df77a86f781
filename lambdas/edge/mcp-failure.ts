import { DomainError, type ErrorKind } from '../shared/errors.js';
import { type RpcCode, RpcFailure, type RpcId, rpcCodes } from './json-rpc.js';
import { type AnyReply, errorHeaders, statusOf } from './reply.js';

interface Told {
  readonly status: number;
  readonly code: RpcCode;
  readonly message: string;
  readonly data?: unknown;
}

/** What an agent is told of a request that failed; of a bug nothing but the request's id. */
export function mcpFailure(error: unknown, id: RpcId | null, requestId: string): AnyReply {
  const { status, ...told } = tell(error, requestId);
  return {
    status,
    headers: { ...errorHeaders(error), ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}) },
    body: { jsonrpc: '2.0', id, error: told },
  };
}

function tell(error: unknown, requestId: string): Told {
  if (error instanceof RpcFailure) {
    const { code, message, data } = error;
    return { status: statusOfCode(code), code, message, ...(data === undefined ? {} : { data }) };
  }
  if (error instanceof DomainError) {
    const { kind, message } = error;
    return { status: statusOf[kind], code: codeOf[kind] ?? rpcCodes.internal, message };
  }
  return { status: 200, code: rpcCodes.internal, message: 'Internal error', data: { requestId } };
}

/** A message that could be read is answered well; that the answer is a refusal is the protocol's matter, not HTTP's. */
const statusOfCode = (code: RpcCode): number =>
  code === rpcCodes.parse || code === rpcCodes.request ? 400 : 200;

const codeOf: Partial<Record<ErrorKind, RpcCode>> = {
  unauthenticated: rpcCodes.refused,
  forbidden: rpcCodes.refused,
  rate_limited: rpcCodes.refused,
  too_large: rpcCodes.request,
};
