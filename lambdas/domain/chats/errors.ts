import { Conflict, NotFound } from '../../shared/errors.js';
import { maxMessagesPerChat } from './chat.js';
import { maxContentBytesPerChat } from './message.js';

export const chatNotFound = () => new NotFound('Session');

/** The reporting workspace is not the workspace of the chat. */
export const chatNotLinked = () =>
  new Conflict('Session belongs to another workspace. Report only sessions of this workspace.', {
    code: 'NOT_LINKED',
  });

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
export const contentNotStored = (messageId: string, options: ErrorOptions = {}) =>
  new Conflict(
    `Content of message ${messageId} was not uploaded, or differs from the announced content. Upload it again.`,
    { code: 'CONTENT_NOT_STORED', ...options },
  );

const maxContentMiB = maxContentBytesPerChat / 1024 ** 2;

export const contentLimitExceeded = () =>
  new Conflict(
    `Session has ${maxContentMiB} MiB of long messages (limit ${maxContentMiB} MiB). Create another session.`,
    { code: 'SESSION_CONTENT_LIMIT_EXCEEDED' },
  );
