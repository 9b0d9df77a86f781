import { Conflict, NotFound } from '../../shared/errors.js';
import { maxMessagesPerChat } from './chat.js';
import { maxContentBytesPerChat } from './message.js';

export class ChatNotFound extends NotFound {
  override readonly name = 'ChatNotFound';

  constructor() {
    super('Session');
  }
}

/** The reporting workspace is not the workspace of the chat. */
export class ChatNotLinked extends Conflict {
  override readonly name = 'ChatNotLinked';
  override readonly code = 'NOT_LINKED';

  constructor() {
    super('Session belongs to another workspace.');
  }
}

export class MessageLimitExceeded extends Conflict {
  override readonly name = 'MessageLimitExceeded';
  override readonly code = 'SESSION_MESSAGE_LIMIT_EXCEEDED';

  constructor() {
    super(
      `Session has ${maxMessagesPerChat} messages (limit ${maxMessagesPerChat}). Create another session.`,
    );
  }
}

/** The node has not uploaded the content of a long message. */
export class ContentNotStored extends Conflict {
  override readonly name = 'ContentNotStored';
  override readonly code = 'CONTENT_NOT_STORED';

  constructor(messageId: string, options?: ErrorOptions) {
    super(
      `The content of message ${messageId} was not uploaded, or differs from the announced content. Upload it again.`,
      options,
    );
  }
}

export class ContentLimitExceeded extends Conflict {
  override readonly name = 'ContentLimitExceeded';
  override readonly code = 'SESSION_CONTENT_LIMIT_EXCEEDED';

  constructor() {
    super(
      `Session has ${maxContentBytesPerChat / 1024 ** 2} MiB of long messages (limit ${maxContentBytesPerChat / 1024 ** 2} MiB). Create another session.`,
    );
  }
}
