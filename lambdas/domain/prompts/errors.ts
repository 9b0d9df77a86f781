import { Conflict, NotFound } from '../../shared/errors.js';
import { maxQueuedPrompts } from './prompt.js';

/** The same delivery, message or Idempotency-Key was used for something else. */
export class PromptConflict extends Conflict {
  override readonly name = 'PromptConflict';
  override readonly code = 'DELIVERY_CONFLICT';

  constructor() {
    super('This delivery or message was sent before with another content');
  }
}

export class PromptQueueFull extends Conflict {
  override readonly name = 'PromptQueueFull';
  override readonly code = 'PROMPT_QUEUE_FULL';

  constructor(whose: 'session' | 'project') {
    super(`${maxQueuedPrompts} messages wait in the ${whose}, which is the most there may be`);
  }
}

/** It has ended, or was lost: nobody will read what is sent to it. */
export class ChatEnded extends Conflict {
  override readonly name = 'ChatEnded';
  override readonly code = 'SESSION_ENDED';

  constructor(status: string) {
    super(`The session is ${status}; begin a new one`);
  }
}

/** It ends with a message that was sent before. */
export class ChatShutsDown extends Conflict {
  override readonly name = 'ChatShutsDown';
  override readonly code = 'SESSION_SHUTTING_DOWN';

  constructor() {
    super('The session ends with a message that it was sent before; begin a new one');
  }
}

export class ChatHasNoAgent extends Conflict {
  override readonly name = 'ChatHasNoAgent';
  override readonly code = 'SESSION_HAS_NO_AGENT';

  constructor() {
    super('No agent works in this session: make an agent session in a workspace, or submit a task');
  }
}

export class PromptNotFound extends NotFound {
  override readonly name = 'PromptNotFound';

  constructor() {
    super('Message');
  }
}

/** Its delivery is all there is to know of it. */
export class AckNotRequired extends Conflict {
  override readonly name = 'AckNotRequired';
  override readonly code = 'ACK_NOT_REQUIRED';

  constructor() {
    super('Nobody asks for an acknowledgement of this message');
  }
}
