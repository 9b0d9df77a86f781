import { AcmeProblem } from './acme-errors.js';

/**
 * The first hour has attempts after 0, 5, 15 and 35 minutes: an authority such as Let's Encrypt
 * takes five failed validations of an address in an hour.
 */
const firstDelayMs = 5 * 60_000;
const maxDelayMs = 6 * 3_600_000;
/** Let's Encrypt refills the limit of certificates of one address every 34 hours. */
const maxRetryAfterMs = 48 * 3_600_000;

/** When the next attempt is due after failures in a row. Never before the authority asks. */
export function nextAttempt(
  failures: number,
  { now, error }: { readonly now: Date; readonly error?: unknown },
): string {
  const usualMs = Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);
  const askedMs = error instanceof AcmeProblem ? Math.min(error.retryAfterMs, maxRetryAfterMs) : 0;
  return new Date(now.getTime() + Math.max(usualMs, askedMs)).toISOString();
}
