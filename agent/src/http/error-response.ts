import { STATUS_CODES } from 'node:http';
import * as z from 'zod/mini';
import type { NodeErrorCode } from '../../../protocol/node-api.js';
import { AgentError, statusOfError } from '../errors.js';

const codeOfStatus: Readonly<Record<number, NodeErrorCode>> = {
  400: 'invalid_request',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

export interface ErrorBody {
  readonly error: NodeErrorCode;
  readonly message: string;
  readonly details?: readonly { readonly field: string; readonly message: string }[];
}

/** The response to an error. Errors that are not an AgentError's or a client's get a plain 500. */
export function describeError(error: unknown): { readonly status: number; readonly body: ErrorBody } {
  if (error instanceof AgentError)
    return {
      status: statusOfError[error.code],
      body: { ...error.extra, error: error.code, message: error.message },
    };
  if (error instanceof z.core.$ZodError) return { status: 400, body: invalidBody(error) };
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const code = codeOfStatus[status];
  if (!code) return { status: 500, body: { error: 'internal', message: 'Internal error' } };
  return { status, body: { error: code, message: STATUS_CODES[status] ?? 'Bad request' } };
}

function invalidBody(error: z.core.$ZodError): ErrorBody {
  const details = error.issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message }));
  const fields = details.map(({ field }) => field || 'body').join(', ');
  return { error: 'invalid_request', message: `Invalid request: ${fields}`, details };
}
