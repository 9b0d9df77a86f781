import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import { encodeKey, type ObjectStore, presignObject } from '../../shared/object-store.js';
import type { Chat } from './chat.js';
import { ContentNotStored } from './errors.js';
import { contentKey, type WholeMessage } from './whole-content.js';

/** The node waits for the answer, and goes on without the content when it cannot be had. */
const timeoutMs = 3_000;

export interface ContentParts {
  readonly contents: ObjectStore;
  readonly now: Date;
}

/**
 * Brings what nodes have uploaded of these messages to where it stays with the chat: before the messages are stored, so that
 * no message ever names what is not there. Repeatable.
 *
 * @throws {ContentNotStored} it was not uploaded, is another one, or cannot be looked at now
 */
export async function keepContents(
  parts: ContentParts,
  chat: Chat,
  messages: readonly ConversationMessage[],
): Promise<void> {
  const whole = messages.flatMap(({ messageId, whole }) => (whole ? [{ messageId, whole }] : []));
  await Promise.all(
    whole.map((message) =>
      keep(parts, chat, message).catch((cause: unknown) => {
        throw new ContentNotStored(message.messageId, { cause });
      }),
    ),
  );
}

async function keep(parts: ContentParts, chat: Chat, message: WholeMessage): Promise<void> {
  const uploaded = contentKey('uploaded', chat, message);
  const found = await send(parts, 'HEAD', uploaded, {});
  if (found.headers.get('content-length') !== String(message.whole.bytes))
    throw new Error('What was uploaded is not as long as was said');
  const copied = await send(parts, 'PUT', contentKey('kept', chat, message), {
    'x-amz-copy-source': `/${parts.contents.bucket}/${encodeKey(uploaded)}`,
    'x-amz-copy-source-if-match': found.headers.get('etag') ?? '',
    // Whoever opens its address keeps a file; nothing of it acts at the store's origin.
    'x-amz-metadata-directive': 'REPLACE',
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': 'attachment; filename="content.txt"',
  });
  // S3 answers 200 before it has copied, and tells of a failure in the body.
  if (!(await copied.text()).includes('CopyObjectResult')) throw new Error('S3 did not copy');
}

/** @throws when it is answered anything but yes */
// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
async function send(
  { contents, now }: ContentParts,
  method: 'HEAD' | 'PUT',
  key: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const url = await presignObject(contents, { method, key, headers, expiresInSeconds: 60, now });
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method, headers, signal, redirect: 'error' });
  if (!response.ok) throw new Error(`S3 answered ${response.status}`);
  return response;
}
