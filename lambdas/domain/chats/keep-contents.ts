import { CopyObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import { encodeKey, type ObjectStore } from '../../shared/object-store.js';
import type { Chat } from './chat.js';
import { ContentNotStored } from './errors.js';
import { contentKey, type WholeMessage } from './whole-content.js';

/** The node waits for the answer, and goes on without the content when it cannot be had. */
const timeoutMs = 3_000;

/**
 * Brings what nodes have uploaded of these messages to where it stays with the chat: before the messages are stored, so that
 * no message ever names what is not there. Repeatable.
 *
 * @throws {ContentNotStored} it was not uploaded, is another one, or cannot be looked at now
 */
export async function keepContents(
  store: ObjectStore,
  chat: Chat,
  messages: readonly ConversationMessage[],
): Promise<void> {
  const whole = messages.flatMap(({ messageId, whole }) => (whole ? [{ messageId, whole }] : []));
  await Promise.all(
    whole.map((message) =>
      keep(store, chat, message).catch((cause: unknown) => {
        throw cause instanceof ContentNotStored ? cause : new ContentNotStored(message.messageId, { cause });
      }),
    ),
  );
}

async function keep({ s3, bucket }: ObjectStore, chat: Chat, message: WholeMessage): Promise<void> {
  const options = { abortSignal: AbortSignal.timeout(timeoutMs) };
  const Key = contentKey('uploaded', chat, message);
  const { ContentLength, ETag } = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key }), options);
  if (ContentLength !== message.whole.bytes) throw new ContentNotStored(message.messageId);
  await s3.send(
    new CopyObjectCommand({
      Bucket: bucket,
      Key: contentKey('kept', chat, message),
      CopySource: `${bucket}/${encodeKey(Key)}`,
      CopySourceIfMatch: ETag,
      // Whoever opens its address keeps a file; nothing of it acts at the store's origin.
      MetadataDirective: 'REPLACE',
      ContentType: 'text/plain; charset=utf-8',
      ContentDisposition: 'attachment; filename="content.txt"',
    }),
    options,
  );
}
