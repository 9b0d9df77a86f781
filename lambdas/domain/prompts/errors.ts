import { Conflict, NotFound } from '../../shared/errors.js';
import { maxQueuedPrompts } from './prompt.js';

/** The delivery id, message id or Idempotency-Key was used with other content. */
export const promptConflict = () =>
  new Conflict('A message with this id has other content. Send the new content with another id.', {
    code: 'DELIVERY_CONFLICT',
  });

export const promptQueueFull = (scope: 'Session' | 'Project') =>
  new Conflict(
    `${scope} has ${maxQueuedPrompts} queued messages (limit ${maxQueuedPrompts}). Wait for an agent to take one, or stop the session.`,
    { code: 'PROMPT_QUEUE_FULL' },
  );

/** No agent will read further messages of this chat. */
export class ChatEnded extends Conflict {
  override readonly name = 'ChatEnded';
  override readonly code = 'SESSION_ENDED';

  constructor(status: string) {
    super(`Session is ${status} and accepts no messages. Create another session.`);
  }
}

export class ChatShutsDown extends Conflict {
  override readonly name = 'ChatShutsDown';
  override readonly code = 'SESSION_SHUTTING_DOWN';

  constructor() {
    super('Session is shutting down and accepts no messages. Create another session.');
  }
}

/** A write of the same transaction was refused: neither it nor the prompt is stored. */
export class AlongsideRefused extends Conflict {
  override readonly name = 'AlongsideRefused';

  constructor() {
    super('The record that this message belongs to changed at the same time. Try again.');
  }
}

export class ChatHasNoAgent extends Conflict {
  override readonly name = 'ChatHasNoAgent';
  override readonly code = 'SESSION_HAS_NO_AGENT';

  constructor() {
    super('Session has no agent. Create an agent session in a workspace, or submit a task.');
  }
}

export const promptNotFound = () => new NotFound('Message');

export const ackNotRequired = () =>
  new Conflict('Message does not require an acknowledgement. Continue without one.', {
    code: 'ACK_NOT_REQUIRED',
  });
