import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { memberKey } from '../projects/member.js';
import { transact } from '../records/transact.js';
import type { Task } from '../tasks/task.js';
import { type InboxChange, inboxChangeOf } from './inbox-causes.js';
import { type InboxItem, inboxKey, inboxRow, itemIdOf } from './inbox-item.js';

type Row = Readonly<Record<string, unknown>>;
type Owned = Pick<InboxItem, 'userId' | 'projectId' | 'title' | 'chatId' | 'taskId' | 'workspaceId'>;

/**
 * Keeps the inbox of a person in step with a change of the table. It is made from the stream, not
 * in the transactions of the causes: these have many places and a limit of writes. Repeatable. No
 * table call for most changes, else two at most.
 */
export async function followChange(
  table: Table,
  before: Row | undefined,
  after: Row | undefined,
): Promise<void> {
  const change = inboxChangeOf(before, after);
  const whose = change && (await ownedBy(table, change));
  if (!whose) return;
  const itemId = itemIdOf(change.kind, change.causeId);
  if (change.change === 'began') await addItem(table, itemOf(change, itemId, whose));
  else await endItem(table, inboxKey(whose.userId, itemId), change.deliveryId);
}

/** Undefined for the first message of a task: the task itself fails with it. */
async function ownedBy(table: Table, { owner, isStart }: InboxChange): Promise<Owned | undefined> {
  if ('task' in owner) return owned(owner.task, owner.task.title);
  const chat = 'chat' in owner ? owner.chat : await findChat(table, owner.chatId);
  if (!chat || (isStart && chat.taskId !== null)) return undefined;
  return owned(chat, chat.topic);
}

function owned({ userId, projectId, chatId, taskId, workspaceId }: Chat | Task, title: string | null): Owned {
  return { userId, projectId, title, chatId, taskId, workspaceId };
}

function itemOf(
  { kind, reason, at, ...change }: Extract<InboxChange, { change: 'began' }>,
  itemId: string,
  whose: Owned,
): InboxItem {
  const { interactionId = null, deliveryId = null, sequence = null } = change;
  return { itemId, kind, reason, ...whose, interactionId, deliveryId, sequence, createdAt: at };
}

/** What the end of a membership causes does not come into the inbox of the former member. */
async function addItem(table: Table, item: InboxItem): Promise<void> {
  await transact(table, [
    { put: inboxRow(item), when: {} },
    { check: memberKey(item.projectId, item.userId), when: { equals: { status: 'active' } } },
  ]);
}

async function endItem(
  table: Table,
  key: ReturnType<typeof inboxKey>,
  deliveryId: string | undefined,
): Promise<void> {
  await transact(table, [{ delete: key, when: deliveryId === undefined ? {} : { equals: { deliveryId } } }]);
}
