import { type RequestKey, requestKey } from '../domain/idempotency/request-key.js';
import type { HttpRequest } from './http-request.js';
import { idempotencyKeyPattern } from './idempotency-header.js';
import { MalformedRequest } from './parse-request.js';

/**
 * The key of a request with an Idempotency-Key header.
 *
 * @throws {MalformedRequest} the header is no printable text of at most 255 characters
 */
export function idempotencyKeyOf({ header }: HttpRequest, body: unknown): RequestKey | undefined {
  const key = header('idempotency-key');
  if (key === undefined) return undefined;
  if (!idempotencyKeyPattern.test(key)) {
    throw new MalformedRequest('The request is invalid', [
      { field: 'header.idempotency-key', message: 'At most 255 printable characters' },
    ]);
  }
  return requestKey(key, body);
}
