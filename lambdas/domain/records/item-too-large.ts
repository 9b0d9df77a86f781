import { tooLarge } from '../../shared/errors.js';

const isOutgrown = (message: string | undefined): boolean => /^Item size .*exceeded/.test(message ?? '');

/**
 * Converts the error of DynamoDB for an item over 400 KB into a 413. Texts within their limits can
 * be too large together. Other errors are returned as they are.
 */
export function asItemTooLarge(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message: said } = error;
  const reasons = 'CancellationReasons' in error ? (error.CancellationReasons as readonly Reason[]) : [];
  const isSo =
    (name === 'ValidationException' && isOutgrown(said)) ||
    reasons.some(({ Code, Message }) => Code === 'ValidationError' && isOutgrown(Message));
  return isSo
    ? tooLarge('The record would be larger than 400 KB, the limit of the table. Shorten its texts.')
    : error;
}

interface Reason {
  readonly Code?: string;
  readonly Message?: string;
}
