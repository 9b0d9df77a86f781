import { tooLarge } from '../../shared/errors.js';

const isOutgrown = (message: string | undefined): boolean => /^Item size .*exceeded/.test(message ?? '');

/**
 * What the table says of an item that would be larger than it keeps one, in the words of whoever asked for it: texts that each
 * are as long as they may be can be too much together. Anything else as it is.
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
