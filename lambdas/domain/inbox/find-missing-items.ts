import { GetCommand, PutCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { byOwner, byParent, type Table } from '../../shared/table.js';
import { Chat, chatKey, chatsOfProject } from '../chats/chat.js';
import { interactionKey } from '../interactions/interaction.js';
import { Member, memberProjects } from '../projects/member.js';
import { promptPrefix } from '../prompts/prompt.js';
import { existingItems, type Item } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { snapshotKey } from '../snapshots/snapshot.js';
import { tasksOfProject } from '../tasks/task.js';
import { allUsers } from '../users/user.js';
import { ownerOfWorkspaces, Workspace } from '../workspaces/workspace.js';
import { applyChange } from './follow-change.js';
import { type Began, causeIn } from './inbox-causes.js';
import { InboxItem, inboxPartition, itemIdOf } from './inbox-item.js';

/** The stream may be late by the first time. An earlier pass saw causes older than the second. */
const [leastMs, mostMs] = [15 * 60_000, 2 * 24 * 60 * 60_000];

const maxProjects = 10;
const maxOfEach = 20;
/** Of which a person is shown in the rows of all members. */
const maxRead = 100;

const position = { pk: 'INBOXREPAIR', sk: 'POSITION' };

/**
 * Adds items that a lost change of the table did not add, for one person a pass, in turn: from the
 * newest chats, tasks and workspaces. A pass makes some 40 table calls at most, and usually ten.
 */
export async function findMissingItems(table: Table, now: Date): Promise<void> {
  const userId = await nextPerson(table);
  if (userId === undefined) return;
  const present = await presentItems(table, userId);
  const isMissing = ({ kind, causeId, at }: Began) => {
    const age = now.getTime() - Date.parse(at);
    return age > leastMs && age < mostMs && present.get(itemIdOf(kind, causeId)) !== at;
  };
  for (const row of await rowsOf(table, userId)) {
    const cause = causeIn(row);
    if (cause && isMissing(cause)) await applyChange(table, cause);
  }
}

/** The position is no truth: two passes at once do the same twice. */
async function nextPerson(table: Table): Promise<string | undefined> {
  const { Item: last } = await table.client.send(new GetCommand({ TableName: table.name, Key: position }));
  const after = async (userId: string) => {
    const [found] = await read(table, {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :all AND ownerSk > :last',
      ExpressionAttributeValues: { ':all': allUsers, ':last': userId },
      Limit: 1,
    });
    return found && String(found.userId);
  };
  const userId = (await after(String(last?.userId ?? '0'))) ?? (await after('0'));
  if (userId !== undefined)
    await table.client.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...position, entity: 'inbox-repair', schemaVersion: 1, userId },
      }),
    );
  return userId;
}

async function presentItems(table: Table, userId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await read(table, {
    KeyConditionExpression: 'pk = :inbox',
    ExpressionAttributeValues: { ':inbox': inboxPartition(userId) },
  });
  return new Map(rows.map((row) => InboxItem.parse(row)).map(({ itemId, createdAt }) => [itemId, createdAt]));
}

/** The rows in which something can wait for the person. */
async function rowsOf(table: Table, userId: string): Promise<readonly Item[]> {
  const memberships = await newest(table, memberProjects(userId), maxProjects);
  const projects = memberships.map((row) => Member.parse(row)).filter(({ status }) => status === 'active');
  const workspaces = await newest(table, ownerOfWorkspaces(userId), maxOfEach);
  const snapshots = workspaces.map((row) => snapshotKey(Workspace.parse(row).workspaceId));
  const rows = [...memberships, ...workspaces, ...(await existing(table, snapshots))];
  for (const { projectId } of projects) {
    const chats = await ofPerson(table, userId, { IndexName: byOwner, partition: chatsOfProject(projectId) });
    const tasks = await ofPerson(table, userId, {
      IndexName: byParent,
      partition: tasksOfProject(projectId),
    });
    rows.push(...chats, ...tasks, ...(await inChats(table, chats)));
  }
  return rows;
}

/** Open requests, and the newest message of the person: a later one ends an item of an earlier. */
async function inChats(table: Table, rows: readonly Item[]): Promise<readonly Item[]> {
  const chats = rows
    .map((row) => Chat.parse(row))
    .filter(({ status }) => status === 'active' || status === 'sleeping');
  const requests = chats.flatMap(({ chatId, openInteractions = new Set<string>() }) =>
    [...openInteractions].map((interactionId) => interactionKey(chatId, interactionId)),
  );
  const found = [...(await existing(table, requests))];
  for (const { chatId } of chats) {
    const prompts = await read(table, {
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :prompt)',
      ExpressionAttributeValues: { ':chat': chatKey(chatId).pk, ':prompt': promptPrefix },
      ScanIndexForward: false,
      Limit: maxOfEach,
    });
    found.push(...prompts.filter(({ senderType }) => senderType === 'human').slice(0, 1));
  }
  return found;
}

const existing = (table: Table, keys: readonly Key[]): Promise<readonly Item[]> =>
  existingItems(table, keys.slice(0, maxRead));

const newest = (table: Table, partition: string, limit: number): Promise<readonly Item[]> =>
  read(table, {
    IndexName: byOwner,
    KeyConditionExpression: 'ownerPk = :partition',
    ExpressionAttributeValues: { ':partition': partition },
    ScanIndexForward: false,
    Limit: limit,
  });

async function ofPerson(
  table: Table,
  userId: string,
  { IndexName, partition }: { readonly IndexName: string; readonly partition: string },
): Promise<readonly Item[]> {
  const rows = await read(table, {
    IndexName,
    KeyConditionExpression: `${IndexName === byOwner ? 'ownerPk' : 'parentPk'} = :partition`,
    FilterExpression: 'userId = :user',
    ExpressionAttributeValues: { ':partition': partition, ':user': userId },
    ScanIndexForward: false,
    Limit: maxRead,
  });
  return rows.slice(0, maxOfEach);
}

async function read(table: Table, query: Omit<QueryCommandInput, 'TableName'>): Promise<readonly Item[]> {
  const { Items = [] } = await table.client.send(new QueryCommand({ TableName: table.name, ...query }));
  return Items;
}
