import { Conflict, NotFound } from '../../shared/errors.js';
import { maxQueuedPrompts } from './prompt.js';

/** The delivery id, message id or Idempotency-Key was used with other content. */
export class PromptConflict extends Conflict {
  override readonly name = 'PromptConflict';
  override readonly code = 'DELIVERY_CONFLICT';

  constructor() {
    super('A message with this id was sent before with other content. Send the new content with another id.');
  }
}

export class PromptQueueFull extends Conflict {
  override readonly name = 'PromptQueueFull';
  override readonly code = 'PROMPT_QUEUE_FULL';

  constructor(scope: 'session' | 'project') {
    const subject = scope === 'session' ? 'Session' : 'Project';
    super(
      `${subject} has ${maxQueuedPrompts} queued messages (limit ${maxQueuedPrompts}). Wait for an agent to take one, or stop the session.`,
    );
  }
}

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
    super('Session ends with its current shutdown message and accepts no more. Create another session.');
  }
}

export class ChatHasNoAgent extends Conflict {
  override readonly name = 'ChatHasNoAgent';
  override readonly code = 'SESSION_HAS_NO_AGENT';

  constructor() {
    super('Session has no agent. Create an agent session in a workspace, or submit a task.');
  }
}

export class PromptNotFound extends NotFound {
  override readonly name = 'PromptNotFound';

  constructor() {
    super('Message');
  }
}

export class AckNotRequired extends Conflict {
  override readonly name = 'AckNotRequired';
  override readonly code = 'ACK_NOT_REQUIRED';

  constructor() {
    super('This message does not have to be acknowledged. Continue without an acknowledgement.');
  }
}
