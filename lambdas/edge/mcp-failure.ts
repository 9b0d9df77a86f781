import { DomainError, type ErrorKind } from '../shared/errors.js';
import { RefusedMessage, type RpcCode, RpcFailure, type RpcId, rpcCodes } from './json-rpc.js';
import { type AnyReply, errorHeaders, statusOf } from './reply.js';

interface Failure {
  readonly status: number;
  readonly code: RpcCode;
  readonly message: string;
  readonly data?: unknown;
}

/** The response to a failed request. The response to a bug has only the request's id. */
export function mcpFailure(error: unknown, id: RpcId | null, requestId: string): AnyReply {
  const { status, ...failure } = failureOf(error, requestId);
  return {
    status,
    headers: { ...errorHeaders(error), ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}) },
    body: { jsonrpc: '2.0', id, error: failure },
  };
}

function failureOf(error: unknown, requestId: string): Failure {
  if (error instanceof RpcFailure) {
    const { code, message, data } = error;
    const status = error instanceof RefusedMessage ? error.status : statusOfCode(code);
    return { status, code, message, ...(data === undefined ? {} : { data }) };
  }
  if (error instanceof DomainError) {
    const { kind, message } = error;
    return { status: statusOf[kind], code: codeOf[kind] ?? rpcCodes.internal, message };
  }
  return { status: 200, code: rpcCodes.internal, message: 'Internal error', data: { requestId } };
}

/** MCP reports a refused message with HTTP status 200; only an unreadable message gets 400. */
const statusOfCode = (code: RpcCode): number =>
  code === rpcCodes.parse || code === rpcCodes.request ? 400 : 200;

const codeOf: Partial<Record<ErrorKind, RpcCode>> = {
  unauthenticated: rpcCodes.refused,
  forbidden: rpcCodes.refused,
  rate_limited: rpcCodes.refused,
  too_large: rpcCodes.request,
};
