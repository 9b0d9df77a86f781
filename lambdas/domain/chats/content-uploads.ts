import * as z from 'zod/mini';
import type {
  ConversationMessage,
  MessageContentRequest,
  MessageContentUpload,
} from '../../../protocol/agent-callbacks.js';
import {
  encodeKey,
  type ObjectCall,
  type ObjectStore,
  presignObject,
  requestObject,
} from '../../shared/object-store.js';
import type { Table } from '../../shared/table.js';
import type { Item } from '../records/batch-items.js';
import type { Chat } from './chat.js';
import { contentLimitExceeded, contentNotStored } from './errors.js';
import { type ChatReporter, loadReportingChat } from './find-chat.js';
import { contentKey, Message, maxContentBytesPerChat, type WholeMessage } from './message.js';

/** The node waits for this answer, and continues without the content after an error. */
const timeoutMs = 3_000;

export interface ContentDeps {
  readonly contents: ObjectStore;
  readonly now: Date;
}

/** Those of the messages whose content was uploaded. */
export const wholeMessages = (messages: readonly ConversationMessage[]): readonly WholeMessage[] =>
  messages.flatMap(({ messageId, whole }) => (whole ? [{ messageId, whole }] : []));

/**
 * Copies uploaded contents to where they stay with the chat. This happens before the messages are
 * stored, so that no message refers to missing content. Repeatable.
 *
 * @throws {contentNotStored} the content was not uploaded, differs, or cannot be checked now
 */
export async function keepContents(
  parts: ContentDeps,
  chat: Chat,
  messages: readonly ConversationMessage[],
): Promise<void> {
  await Promise.all(
    wholeMessages(messages).map((message) =>
      keep(parts, chat, message).catch((cause: unknown) => {
        throw contentNotStored(message.messageId, { cause });
      }),
    ),
  );
}

async function keep(parts: ContentDeps, chat: Chat, message: WholeMessage): Promise<void> {
  const uploaded = contentKey('uploaded', chat, message);
  const found = await send(parts, { method: 'HEAD', key: uploaded });
  if (found.headers.get('content-length') !== String(message.whole.bytes))
    throw new Error('What was uploaded is not as long as was said');
  const copied = await send(parts, {
    method: 'PUT',
    key: contentKey('kept', chat, message),
    headers: {
      'x-amz-copy-source': `/${parts.contents.bucket}/${encodeKey(uploaded)}`,
      'x-amz-copy-source-if-match': found.headers.get('etag') ?? '',
      // Whoever opens its address keeps a file; nothing of it acts at the store's origin.
      'x-amz-metadata-directive': 'REPLACE',
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment; filename="content.txt"',
    },
  });
  // S3 answers 200 before it has copied, and reports a failure in the body.
  if (!(await copied.text()).includes('CopyObjectResult')) throw new Error('S3 did not copy');
}

const Kept = z.required(z.pick(Message, { projectId: true, chatId: true, messageId: true, whole: true }));

/** Deletes the contents of the messages among the items of a chat. Repeatable. */
export async function deleteContents({ contents, now }: ContentDeps, items: readonly Item[]): Promise<void> {
  const messages = items.filter(({ whole }) => whole !== undefined).map((item) => Kept.parse(item));
  await Promise.all(
    messages.map((message) =>
      send({ contents, now }, { method: 'DELETE', key: contentKey('kept', message, message) }),
    ),
  );
}

/** @throws for any status but 2xx */
async function send({ contents, now }: ContentDeps, request: ObjectCall): Promise<Response> {
  const response = await requestObject(contents, { ...request, now, timeoutMs });
  if (!response.ok) throw new Error(`S3 answered ${response.status}`);
  return response;
}

const uploadSeconds = 600;

/**
 * A presigned URL for the content of a long message. Name, length and hash are signed: S3 accepts
 * no other content. Stores nothing. One table call.
 *
 * @throws {workspaceNotFound | StaleGeneration | chatNotFound | chatNotLinked |
 * contentLimitExceeded}
 */
export async function prepareUpload(
  table: Table,
  reporter: Omit<ChatReporter, 'chatId'>,
  {
    request,
    store,
    now,
  }: { readonly request: MessageContentRequest; readonly store: ObjectStore; readonly now: Date },
): Promise<MessageContentUpload> {
  const { messageId, sessionId: chatId, whole } = request;
  const { chat } = await loadReportingChat(table, { ...reporter, chatId });
  if (chat.contentBytes + whole.bytes > maxContentBytesPerChat) throw contentLimitExceeded();
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(whole.bytes),
    'x-amz-checksum-sha256': Buffer.from(whole.sha256, 'hex').toString('base64'),
  };
  const key = contentKey('uploaded', chat, { messageId, whole });
  const put = { method: 'PUT', key, headers, expiresInSeconds: uploadSeconds, now } as const;
  return { uploadUrl: await presignObject(store, put), headers };
}
