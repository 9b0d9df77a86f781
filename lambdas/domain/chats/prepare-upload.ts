import type { MessageContentRequest, MessageContentUpload } from '../../../protocol/agent-callbacks.js';
import { type ObjectStore, presignObject } from '../../shared/object-store.js';
import type { Table } from '../../shared/table.js';
import { ContentLimitExceeded } from './errors.js';
import { loadToldChat, type Told } from './load-told-chat.js';
import { contentKey, maxContentBytesPerChat } from './whole-content.js';

const uploadSeconds = 600;

/**
 * Where a node uploads what a message is too long for: an object whose name, length and hash are settled here, and which S3
 * takes with no other. Nothing is written down. One table call.
 *
 * @throws {WorkspaceNotFound | StaleGeneration | ChatNotFound | ChatNotLinked | ContentLimitExceeded}
 */
export async function prepareUpload(
  table: Table,
  told: Omit<Told, 'chatId'>,
  {
    request,
    store,
    now,
  }: { readonly request: MessageContentRequest; readonly store: ObjectStore; readonly now: Date },
): Promise<MessageContentUpload> {
  const { messageId, sessionId: chatId, whole } = request;
  const { chat } = await loadToldChat(table, { ...told, chatId });
  if (chat.contentBytes + whole.bytes > maxContentBytesPerChat) throw new ContentLimitExceeded();
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(whole.bytes),
    'x-amz-checksum-sha256': Buffer.from(whole.sha256, 'hex').toString('base64'),
  };
  const key = contentKey('uploaded', chat, { messageId, whole });
  const put = { method: 'PUT', key, headers, expiresInSeconds: uploadSeconds, now } as const;
  return { uploadUrl: await presignObject(store, put), headers };
}
