import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Table } from '../../shared/table.js';
import { getItems } from '../records/batch-items.js';
import { transact, type Write } from '../records/transact.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { Chat, chatKey } from './chat.js';
import { type DeletionPass, deletePartition } from './delete-partition.js';

/** An ended chat without a task is kept for so long after it has left the count of open chats. */
export const endedChatDays = 365;
const keptMs = endedChatDays * 24 * 60 * 60 * 1_000;

/** Lets the sweep find ended chats by the time at which they are deleted. */
const EndedChat = z.object({ chatId: Ulid, workspaceId: z.optional(Ulid), dueAt: z.iso.datetime() });
type EndedChat = z.infer<typeof EndedChat>;

const partition = 'ENDEDCHATS';
const keyOf = ({ chatId, dueAt }: EndedChat) => ({ pk: partition, sk: `${dueAt}#${chatId}` });

/** In the transaction that takes the chat out of the count. */
export function markEnded(
  { chatId, workspaceId }: { readonly chatId: string; readonly workspaceId?: string | null | undefined },
  now: Date,
): Write {
  const dueAt = new Date(now.getTime() + keptMs).toISOString();
  const ended = { chatId, ...(workspaceId ? { workspaceId } : {}), dueAt };
  return { put: { ...keyOf(ended), entity: 'ended-chat', schemaVersion: 1, ...ended }, when: {} };
}

/** The most that one pass of the sweep deletes. */
const perPass = { chats: 50, items: 1_000 } as const;

/**
 * Deletes chats that ended a year ago, a bounded part a pass. A chat that was resumed, or that a
 * restart of its workspace can still resume, is kept for another year. Repeatable: the marker goes
 * last.
 */
export async function deleteEndedChats(pass: DeletionPass): Promise<void> {
  const { table, now } = pass;
  let left: number = perPass.items;
  for (const ended of await listDue(table, now)) {
    const isKept = await canContinue(table, ended);
    if (!isKept) left -= await deletePartition(pass, chatKey(ended.chatId).pk, left);
    if (left <= 0) return;
    await transact(table, [{ delete: keyOf(ended), when: {} }, ...(isKept ? [markEnded(ended, now)] : [])]);
  }
}

async function listDue(table: Table, now: Date): Promise<readonly EndedChat[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk < :now',
      ExpressionAttributeValues: { ':pk': partition, ':now': now.toISOString() },
      Limit: perPass.chats,
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => EndedChat.parse(item));
}

async function canContinue(table: Table, { chatId, workspaceId }: EndedChat): Promise<boolean> {
  const workspaceAt = workspaceId === undefined ? [] : [workspaceKey(workspaceId)];
  const find = await getItems(table, [chatKey(chatId), ...workspaceAt]);
  const chat = z.optional(Chat).parse(find(chatKey(chatId)));
  if (!chat) return false;
  if (chat.status === 'active' || chat.status === 'sleeping') return true;
  const [workspace] = workspaceAt.map(find).map((item) => z.optional(Workspace).parse(item));
  return chat.endReason !== undefined && workspace !== undefined && workspace.status !== 'deleted';
}
