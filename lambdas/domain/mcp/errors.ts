import { DomainError } from '../../shared/errors.js';

/** A tool about the caller's task, called in a conversation. */
export class TaskNeeded extends DomainError {
  override readonly name = 'TaskNeeded';
  readonly kind = 'forbidden';
  readonly code = 'TASK_REQUIRED';

  constructor() {
    super('Only the agent of a task can do this');
  }
}
