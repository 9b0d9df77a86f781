import { Conflict, Forbidden } from '../../shared/errors.js';

/** A tool about the caller's task, called in a conversation. */
export class TaskNeeded extends Forbidden {
  override readonly name = 'TaskNeeded';
  override readonly code = 'TASK_REQUIRED';

  constructor() {
    super('Only the agent of a task can use this tool; this session is a conversation.');
  }
}

/** A message class that cancels the turn of an agent that is not below the caller. */
export class UrgentToOthers extends Forbidden {
  override readonly name = 'UrgentToOthers';
  override readonly code = 'FORBIDDEN';

  constructor() {
    super('Only the agent of the parent task can interrupt a task. Send the message as deliver.');
  }
}

export class RetryLimitReached extends Conflict {
  override readonly name = 'RetryLimitReached';
  override readonly code = 'RETRY_LIMIT_REACHED';

  constructor(limit: number) {
    super(`The task was retried ${limit} times (limit ${limit}). Ask a person with request_human_input.`);
  }
}

/** Another writer changed the idea at the same moment. */
export class IdeaChanged extends Conflict {
  override readonly name = 'IdeaChanged';
  override readonly code = 'VERSION_CONFLICT';

  constructor() {
    super('The idea was changed at the same moment. Read it with get_idea and try again.');
  }
}
