import { Conflict } from '../../shared/errors.js';
import { hashText } from '../../shared/hash-text.js';

const rememberedSeconds = 24 * 60 * 60;

/** A caller's idempotency key, hashed, and a hash of the request made with it. */
export interface RequestKey {
  readonly key: string;
  readonly requestHash: string;
}

export const hashRequest = (request: unknown): string => hashText(JSON.stringify(request));

export const requestKey = (key: string, request: unknown): RequestKey => ({
  key: hashText(key),
  requestHash: hashRequest(request),
});

/**
 * Epoch seconds until which a repeat with the same key returns the record created at `createdAt`.
 */
export const keyExpiry = (createdAt: string): number =>
  Math.floor(Date.parse(createdAt) / 1000) + rememberedSeconds;

const idempotencyKeyReused = () =>
  new Conflict('This Idempotency-Key was used with another request. Use a new key.', {
    code: 'IDEMPOTENCY_KEY_REUSED',
  });

/** @throws `idempotencyKeyReused`: the key was used with another request */
export function requireSameRequest(
  { requestHash }: RequestKey,
  earlier: Pick<RequestKey, 'requestHash'>,
): void {
  if (earlier.requestHash !== requestHash) throw idempotencyKeyReused();
}
