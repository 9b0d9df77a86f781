import { Conflict, DomainError, type ErrorKind } from '../../shared/errors.js';
import { messageLimits } from './message-limits.js';

/** Why a message was not accepted; nothing of it is stored. */
export type MessageOutcome = 'recipient_unavailable' | 'conflict' | 'capacity' | 'rejected';

export const recipientUnavailable = () =>
  new Conflict('The agent of the task has ended or cannot read messages. Read its results instead.', {
    code: 'RECIPIENT_UNAVAILABLE',
    data: { outcome: 'recipient_unavailable', retryable: false },
  });

export const messageCapacity = () =>
  new DomainError(
    'rate_limited',
    `Project has ${messageLimits.managedSubscriptions} message subscriptions (limit ${messageLimits.managedSubscriptions}), and none is idle. Try again in a minute.`,
    { code: 'EVENT_CAPACITY', retryAfter: 60, data: { outcome: 'capacity', retryable: true } },
  );

const outcomes: Partial<Record<ErrorKind, MessageOutcome>> = {
  conflict: 'conflict',
  rate_limited: 'capacity',
  unavailable: 'capacity',
  invalid: 'rejected',
};

/** The failure of a publication as one of the four outcomes. */
export function withOutcome(error: unknown): unknown {
  if (!(error instanceof DomainError) || error.data) return error;
  const { kind, message, code, details, retryAfter } = error;
  // The limit of pair channels passes when idle ones are reclaimed.
  const outcome = code === 'EVENT_CHANNEL_LIMIT_REACHED' ? 'capacity' : outcomes[kind];
  if (!outcome) return error;
  const data = { outcome, retryable: outcome === 'capacity' };
  return new DomainError(kind, message, { code, details, retryAfter, data, cause: error });
}
