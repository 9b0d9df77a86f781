import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { DomainError } from '../shared/errors.js';
import type { Log } from '../shared/log.js';

/** One line a request. A bug is logged with its error, here and nowhere else; an expected refusal with its code. */
export function logOutcome(
  { log, now }: { readonly log: Log; readonly now: Date },
  event: APIGatewayProxyEventV2,
  { statusCode }: APIGatewayProxyStructuredResultV2,
  failure?: { readonly error: unknown },
): void {
  const error = failure?.error;
  const line = { path: event.rawPath, status: statusCode, durationMs: Date.now() - now.getTime() };
  if (!failure) log.info('Request', line);
  else if (error instanceof DomainError)
    log.info('Request refused', { ...line, code: error.code, cause: error.cause });
  else log.error('Request failed', { ...line, error: error instanceof Error ? error : String(error) });
}
