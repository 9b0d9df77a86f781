import { type InteractionState, interactionLimits } from '../../../protocol/interactions.js';
import { Conflict, DomainError, NotFound } from '../../shared/errors.js';

export const interactionNotFound = () => new NotFound('Interaction');

/** The node uses an id for another request, or speaks of another waiter. */
export const interactionConflict = () =>
  new Conflict('Interaction with this id has other content. Use another id for another request.', {
    code: 'INTERACTION_CONFLICT',
  });

export const interactionNotOffered = (kind: string) =>
  new Conflict(`Agents of tasks with mode "task" cannot ask a ${kind}. Continue without an answer.`, {
    code: 'INTERACTION_NOT_OFFERED',
  });

export const interactionSettled = (state: InteractionState) =>
  new Conflict(`Interaction is ${state.replaceAll('_', ' ')} and takes no other answer.`, {
    code: 'INTERACTION_SETTLED',
  });

export const tooManyPending = () =>
  new DomainError(
    'rate_limited',
    `Session has ${interactionLimits.pendingPerSession} pending interactions (limit ${interactionLimits.pendingPerSession}). Wait for an answer.`,
    { code: 'TOO_MANY_PENDING' },
  );
