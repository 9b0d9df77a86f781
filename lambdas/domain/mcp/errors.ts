import { Conflict, Forbidden } from '../../shared/errors.js';

/** A conversation called a tool about the caller's task. */
export const taskRequired = () =>
  new Forbidden('Only the agent of a task can use this tool. This session is a conversation.', {
    code: 'TASK_REQUIRED',
  });

/** The message class would interrupt an agent that is not below the caller. */
export const interruptForbidden = () =>
  new Forbidden('Only the agent of the parent task can interrupt a task. Send the message as deliver.');

export const retryLimitReached = (limit: number) =>
  new Conflict(`Task was retried ${limit} times (limit ${limit}). Ask a person with request_human_input.`, {
    code: 'RETRY_LIMIT_REACHED',
  });

export const ideaChanged = () =>
  new Conflict('Idea was changed by another request. Read it with get_idea and try again.', {
    code: 'VERSION_CONFLICT',
  });
