import { Conflict, NotFound } from '../../shared/errors.js';
import { maxMessagesPerChat } from './chat.js';

export class ChatNotFound extends NotFound {
  override readonly name = 'ChatNotFound';

  constructor() {
    super('Session');
  }
}

/** The workspace that tells of it is not this chat's. */
export class ChatNotLinked extends Conflict {
  override readonly name = 'ChatNotLinked';
  override readonly code = 'NOT_LINKED';

  constructor() {
    super('The session is not one of this workspace');
  }
}

export class MessageLimitExceeded extends Conflict {
  override readonly name = 'MessageLimitExceeded';
  override readonly code = 'SESSION_MESSAGE_LIMIT_EXCEEDED';

  constructor() {
    super(`The session holds ${maxMessagesPerChat} messages, which is the most there may be`);
  }
}
