import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { type Member, memberKey } from '../projects/member.js';
import type { Write } from '../records/transact.js';
import { transact } from '../records/transact.js';
import type { Task } from '../tasks/task.js';
import type { Workspace } from '../workspaces/workspace.js';
import { dismissalKey } from './dismiss-item.js';
import { type Began, type InboxChange, inboxChangesOf, type StillWaits } from './inbox-causes.js';
import { type InboxItem, inboxKey, inboxRow, itemIdOf } from './inbox-item.js';

type Row = Readonly<Record<string, unknown>>;
type Owned = Pick<InboxItem, 'userId' | 'projectId' | 'title' | 'chatId' | 'taskId' | 'workspaceId'>;

/**
 * Keeps the inbox of a person in step with a change of the table. It is made from the stream, not
 * in the transactions of the causes: these have many places and a limit of writes. Repeatable. No
 * table call for most changes; otherwise one for each item, and one for a chat.
 */
export async function followChange(
  table: Table,
  before: Row | undefined,
  after: Row | undefined,
): Promise<void> {
  for (const change of inboxChangesOf(before, after)) await applyChange(table, change);
}

/** Repeatable. Two table calls at most. */
export async function applyChange(table: Table, change: InboxChange): Promise<void> {
  const whose = await ownedBy(table, change);
  if (!whose) return;
  const itemId = itemIdOf(change.kind, change.causeId);
  if (change.change === 'began') await addItem(table, itemOf(change, itemId, whose), change.while);
  else await endItem(table, inboxKey(whose.userId, itemId), change.deliveryId);
}

/** Undefined for the first message of a task: the task itself fails with it. */
async function ownedBy(table: Table, { owner, isStart }: InboxChange): Promise<Owned | undefined> {
  if ('task' in owner) return owned(owner.task, owner.task.title);
  if ('workspace' in owner) return ofWorkspace(owner.workspace);
  if ('member' in owner) return ofMember(owner.member);
  const chat = 'chat' in owner ? owner.chat : await findChat(table, owner.chatId);
  if (!chat || (isStart && chat.taskId !== null)) return undefined;
  return owned(chat, chat.topic);
}

function owned({ userId, projectId, chatId, taskId, workspaceId }: Chat | Task, title: string | null): Owned {
  return { userId, projectId, title, chatId, taskId, workspaceId };
}

/** Its page has the button that restores it, so that the item leads there and not to its task. */
function ofWorkspace({ userId, projectId, displayName, workspaceId }: Workspace): Owned | undefined {
  if (projectId === null) return undefined;
  return { userId, projectId, title: displayName, chatId: null, taskId: null, workspaceId };
}

const ofMember = ({ userId, projectId, project: { name } }: Member): Owned => ({
  ...{ userId, projectId, title: name },
  ...{ chatId: null, taskId: null, workspaceId: null },
});

function itemOf({ kind, reason, at, ...change }: Began, itemId: string, whose: Owned): InboxItem {
  const { interactionId = null, deliveryId = null, sequence = null } = change;
  return { itemId, kind, reason, ...whose, interactionId, deliveryId, sequence, createdAt: at };
}

/**
 * Only while the cause waits, the person is a member and has not dismissed the item: a repeated or
 * late change adds nothing that has ended. What the end of a membership causes does not come into
 * the inbox of the former member.
 */
async function addItem(table: Table, item: InboxItem, causes: readonly StillWaits[]): Promise<void> {
  const { userId, itemId, createdAt } = item;
  await transact(table, [
    { put: inboxRow(item), when: { absentOrBefore: { createdAt } } },
    ...whileWaiting(item, causes),
    {
      check: dismissalKey(userId, itemId),
      when: { absentOrBefore: { dismissedAt: createdAt } },
    },
  ]);
}

/** The person is a member and the causes wait. A transaction takes one check of an item. */
export function whileWaiting(
  { projectId, userId }: Pick<InboxItem, 'projectId' | 'userId'>,
  causes: readonly StillWaits[],
): readonly Write[] {
  const member = memberKey(projectId, userId);
  if (causes.some(({ check }) => check.pk === member.pk && check.sk === member.sk)) return causes;
  return [{ check: member, when: { equals: { status: 'active' } } }, ...causes];
}

async function endItem(
  table: Table,
  key: ReturnType<typeof inboxKey>,
  deliveryId: string | undefined,
): Promise<void> {
  await transact(table, [{ delete: key, when: deliveryId === undefined ? {} : { equals: { deliveryId } } }]);
}
