import { Conflict, DomainError } from '../../shared/errors.js';

/** A tool about the caller's task, called in a conversation. */
export class TaskNeeded extends DomainError {
  override readonly name = 'TaskNeeded';
  readonly kind = 'forbidden';
  readonly code = 'TASK_REQUIRED';

  constructor() {
    super('Only the agent of a task can do this');
  }
}

/** What ends another agent's turn. */
export class UrgentToOthers extends DomainError {
  override readonly name = 'UrgentToOthers';
  readonly kind = 'forbidden';
  readonly code = 'FORBIDDEN';

  constructor() {
    super('Only the agent of the parent task can interrupt; send it as deliver');
  }
}

export class RetryLimitReached extends Conflict {
  override readonly name = 'RetryLimitReached';
  override readonly code = 'RETRY_LIMIT_REACHED';

  constructor(limit: number) {
    super(`The work was retried ${limit} times, which is the most; ask a person`);
  }
}

/** Somebody else has written to it at the same moment. */
export class IdeaChanged extends Conflict {
  override readonly name = 'IdeaChanged';
  override readonly code = 'VERSION_CONFLICT';

  constructor() {
    super('The idea was changed at the same moment; look at it and try again');
  }
}
