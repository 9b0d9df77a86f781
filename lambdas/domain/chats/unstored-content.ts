import * as z from 'zod/mini';
import { WholeContent } from '../../../protocol/agent-callbacks.js';
import { Ulid } from '../../../protocol/ids.js';
import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { eachDue } from '../records/each-due.js';
import { listDue } from '../records/list-due.js';
import { transact, type Write } from '../records/transact.js';
import { type Chat, chatKey } from './chat.js';
import { type ContentDeps, deleteContents } from './content-uploads.js';
import type { WholeMessage } from './message.js';

/** A content whose copy is made before its message is stored: the sweep deletes it without one. */
const UnstoredContent = z.object({
  projectId: Ulid,
  chatId: Ulid,
  messageId: z.string(),
  whole: WholeContent,
  dueAt: z.iso.datetime(),
});
type UnstoredContent = z.infer<typeof UnstoredContent>;

const partition = 'UNSTOREDCONTENT';
/** Longer than any function runs, and than a node waits before it sends a batch again. */
const keptMs = 60 * 60 * 1_000;
const perPass = 250;

const keyOf = ({ chatId }: Pick<Chat, 'chatId'>, { messageId, whole }: WholeMessage) => ({
  pk: chatKey(chatId).pk,
  sk: `UNSTORED#${messageId}#${whole.sha256}`,
});

function itemOf({ projectId, chatId }: Chat, message: WholeMessage, now: Date) {
  const { messageId, whole } = message;
  const dueAt = new Date(now.getTime() + keptMs).toISOString();
  const key = keyOf({ chatId }, message);
  return {
    ...key,
    ...{ entity: 'unstored-content', schemaVersion: 1 },
    ...{ parentPk: partition, parentSk: `${dueAt}#${chatId}` },
    ...({ projectId, chatId, messageId, whole, dueAt } satisfies UnstoredContent),
  };
}

/** DynamoDB refuses a transaction that names an item twice. */
const distinct = (messages: readonly WholeMessage[]): readonly WholeMessage[] => [
  ...new Map(messages.map((message) => [`${message.messageId}#${message.whole.sha256}`, message])).values(),
];

/**
 * Marks contents as unstored, before they are copied, while no other batch has changed the chat:
 * a late batch marks no content whose message is stored. One table call, none without contents.
 *
 * @throws {Unavailable} the chat changed, or the sweep deletes such a content now
 */
export async function markUnstored(
  table: Table,
  chat: Chat,
  { messages, now }: { readonly messages: readonly WholeMessage[]; readonly now: Date },
): Promise<void> {
  if (messages.length === 0) return;
  const { committed } = await transact(table, [
    { check: chatKey(chat.chatId), when: { equals: { version: chat.version } } },
    ...distinct(messages).map(
      (message): Write => ({ put: itemOf(chat, message, now), when: { absent: ['deletingSince'] } }),
    ),
  ]);
  if (!committed) throw new Unavailable('The session changed at the same time. Try again.');
}

/** In the transaction that stores the messages. */
export const unmarkStored = (chat: Pick<Chat, 'chatId'>, messages: readonly WholeMessage[]): Write[] =>
  distinct(messages).map((message) => ({ delete: keyOf(chat, message), when: {} }));

/**
 * Deletes contents whose messages were not stored within an hour. Repeatable: the record says that
 * the content is being deleted until it is, and no batch copies that content in this time.
 *
 * @throws {AggregateError} some were not deleted; the others were
 */
export async function deleteUnstored(table: Table, deps: ContentDeps): Promise<void> {
  const due = await listDue(table, { partition, now: deps.now, limit: perPass });
  const errors: unknown[] = [];
  await eachDue(
    due.map((item) => UnstoredContent.parse(item)),
    (content) => deleteOne(table, deps, content),
    (_, error) => errors.push(error),
  );
  if (errors.length > 0) throw new AggregateError(errors, 'Contents without a message were not deleted');
}

async function deleteOne(table: Table, deps: ContentDeps, content: UnstoredContent): Promise<void> {
  const key = keyOf(content, content);
  const when = { equals: { dueAt: content.dueAt } };
  const set = { deletingSince: deps.now.toISOString() };
  if (!(await changeItem(table, { key, set, when })).changed) return;
  await deleteContents(deps, [content]);
  await transact(table, [{ delete: key, when }]);
}
