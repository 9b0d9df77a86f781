import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { interactionKey } from '../interactions/interaction.js';
import { memberKey } from '../projects/member.js';
import { Prompt, promptKey, promptPrefix } from '../prompts/prompt.js';
import { getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { listDue } from '../records/list-due.js';
import { transact } from '../records/transact.js';
import { snapshotKey } from '../snapshots/snapshot.js';
import { taskKey } from '../tasks/task.js';
import { workspaceKey } from '../workspaces/workspace.js';
import { whileWaiting } from './follow-change.js';
import { causeIn } from './inbox-causes.js';
import { checkedItems, checkSk, endOf, InboxItem, inboxKey } from './inbox-item.js';

/** One page; the next sweep sees the rest. */
const pageSize = 50;
const nextCheckMs = 6 * 60 * 60_000;

/**
 * Ends items whose cause has ended without the stream: each item is compared with the row of its
 * cause a quarter of an hour after it began, and then every six hours. Two table calls, and one for
 * each item; two for one of a message.
 */
export async function endStaleItems(table: Table, now: Date): Promise<void> {
  const due = await listDue(table, { partition: checkedItems, now, limit: pageSize });
  if (due.length === 0) return;
  const items = due.map((row) => InboxItem.parse(row));
  const find = await getItems(table, items.map(keyOfCause));
  for (const item of items) await checkItem(table, item, { row: find(keyOfCause(item)), now });
}

/** The row that says whether the cause still waits. */
function keyOfCause({ kind, itemId, userId, projectId, chatId, deliveryId }: InboxItem): Key {
  const causeId = itemId.slice(kind.length + 1);
  switch (kind) {
    case 'interaction':
      return interactionKey(chatId ?? '', causeId);
    case 'question':
      return chatKey(causeId);
    case 'message':
      return promptKey(causeId, deliveryId ?? '');
    case 'sleep':
      return snapshotKey(causeId);
    case 'task':
      return taskKey(projectId, causeId);
    case 'eviction':
      return workspaceKey(causeId);
    case 'ownership':
      return memberKey(projectId, userId);
  }
}

interface Checked {
  readonly row: Readonly<Record<string, unknown>> | undefined;
  readonly now: Date;
}

/** The conditions refuse a concurrent change, and the next check sees it. */
async function checkItem(table: Table, item: InboxItem, { row, now }: Checked): Promise<void> {
  const { userId, itemId, createdAt } = item;
  const key = inboxKey(userId, itemId);
  const cause = row && causeIn(row);
  const waits = cause && !hasRunOut(item, now) && !(await isAnswered(table, item));
  if (waits) {
    const parentSk = checkSk(item, new Date(now.getTime() + nextCheckMs));
    const { committed } = await transact(table, [
      { update: { key, set: { parentSk }, when: { equals: { createdAt } } } },
      ...whileWaiting(item, cause.while),
    ]);
    if (committed) return;
  }
  await transact(table, [{ delete: key, when: { equals: { createdAt } } }]);
}

/** An offer expires without a change of a row. */
const hasRunOut = (item: InboxItem, now: Date): boolean =>
  item.kind === 'ownership' && endOf(item) <= now.getTime();

/** The person has sent another message in the chat since. */
async function isAnswered(
  table: Table,
  { kind, chatId, deliveryId, createdAt }: InboxItem,
): Promise<boolean> {
  if (kind !== 'message') return false;
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :chat AND sk BETWEEN :after AND :last',
      ExpressionAttributeValues: {
        ':chat': chatKey(chatId ?? '').pk,
        ':after': `${promptPrefix}${deliveryId}#`,
        ':last': `${promptPrefix}~`,
      },
      Limit: 25,
      ConsistentRead: true,
    }),
  );
  return Items.map((row) => Prompt.parse(row)).some(
    (prompt) => prompt.senderType === 'human' && prompt.createdAt > createdAt,
  );
}
