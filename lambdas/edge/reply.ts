import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import {
  DomainError,
  type ErrorKind,
  MethodNotAllowed,
  RateLimited,
  type RateWindow,
} from '../shared/errors.js';
import type { Contract, Responses } from './contract.js';
import { fieldsInRequest } from './parse-request.js';

export const statusOf: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  unavailable: 503,
};

const baseHeaders = (requestId: string) => ({
  // What a person may see is theirs alone, unless a route says otherwise.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
});

/** A reply of any contract, as the edge sees it. */
export interface AnyReply {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
}

/**
 * The reply on the wire. Its body goes through the contract, which drops fields it does not know; a
 * reply that breaks the contract is a bug of ours.
 */
export function successReply(
  { responses }: Pick<Contract, 'responses'>,
  reply: AnyReply,
  requestId: string,
): APIGatewayProxyStructuredResultV2 {
  const { contentType, ...body } = render(responses, reply);
  return {
    statusCode: reply.status,
    headers: {
      ...baseHeaders(requestId),
      ...(contentType ? { 'content-type': contentType } : {}),
      ...reply.headers,
    },
    ...(reply.cookies ? { cookies: [...reply.cookies] } : {}),
    ...body,
  };
}

interface Rendered {
  readonly contentType?: string;
  readonly body?: string;
  readonly isBase64Encoded?: true;
}

function render(responses: Responses, reply: AnyReply): Rendered {
  const shape = responses[reply.status];
  if (shape === undefined) throw new Error(`The contract knows no status ${reply.status}`);
  if (shape === null) return {};
  if (typeof shape === 'string')
    return reply.bytes
      ? { contentType: shape, body: Buffer.from(reply.bytes).toString('base64'), isBase64Encoded: true }
      : { contentType: shape, body: reply.text ?? '' };
  const parsed = shape.safeParse(reply.body);
  if (!parsed.success) throw new Error('The reply breaks its contract', { cause: parsed.error });
  return { contentType: 'application/json', body: JSON.stringify(parsed.data) };
}

/** What a caller sees of a failure; of a bug only the request's id. */
export function errorReply(
  contract: Contract,
  error: unknown,
  requestId: string,
): APIGatewayProxyStructuredResultV2 {
  const known = error instanceof DomainError;
  return {
    statusCode: known ? statusOf[error.kind] : 500,
    headers: { ...baseHeaders(requestId), 'content-type': 'application/json', ...errorHeaders(error) },
    body: JSON.stringify({
      error: known ? error.code : 'INTERNAL_ERROR',
      message: known ? error.message : 'Internal error',
      requestId,
      ...(known && error.details ? { details: fieldsInRequest(contract, error) } : {}),
    }),
  };
}

/** What a failure sends beside its body. */
export function errorHeaders(error: unknown): Record<string, string> {
  if (!(error instanceof DomainError)) return {};
  return {
    ...(error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }),
    ...(error instanceof MethodNotAllowed ? { allow: error.allowed.join(', ') } : {}),
    ...(error instanceof RateLimited ? rateLimitHeaders(error.window) : {}),
  };
}

/** How the caller stands in a rate limit's present window. */
export const rateLimitHeaders = ({ limit, remaining, resetAt }: RateWindow): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(resetAt),
});
