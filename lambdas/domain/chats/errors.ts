import { Conflict, NotFound } from '../../shared/errors.js';
import { maxMessagesPerChat } from './chat.js';
import { maxContentBytesPerChat } from './whole-content.js';

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

/** What a message is too long for is not where the node was to upload it. */
export class ContentNotStored extends Conflict {
  override readonly name = 'ContentNotStored';
  override readonly code = 'CONTENT_NOT_STORED';

  constructor(messageId: string, options?: ErrorOptions) {
    super(`The content of message ${messageId} is not there; upload it again`, options);
  }
}

export class ContentLimitExceeded extends Conflict {
  override readonly name = 'ContentLimitExceeded';
  override readonly code = 'SESSION_CONTENT_LIMIT_EXCEEDED';

  constructor() {
    super(
      `The session holds ${maxContentBytesPerChat / 1024 ** 2} MiB of long messages, which is the most there may be`,
    );
  }
}
