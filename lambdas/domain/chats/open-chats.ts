import * as z from 'zod/mini';
import { Conflict } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { existingItems, getItem } from '../records/batch-items.js';
import type { Change } from '../records/changes.js';
import { transact } from '../records/transact.js';
import { changeChat } from './change-chat.js';
import { Chat, chatKey } from './chat.js';
import { markEnded } from './ended-chats.js';

/** Limit of chats without a task that a person has in all projects and that have not ended. */
export const maxOpenChats = 300;

export class ChatLimitReached extends Conflict {
  override readonly name = 'ChatLimitReached';
  override readonly code = 'CHAT_LIMIT_REACHED';

  constructor() {
    super(
      `You have ${maxOpenChats} chat sessions without a task that have not ended (limit ${maxOpenChats}). Stop one of them first.`,
    );
  }
}

const OpenChats = z.object({ chatIds: z._default(z.set(z.string()), new Set()) });

export const openChatsKey = (userId: string) => ({ pk: `USER#${userId}`, sk: 'OPENCHATS' });

const openChatsChange = (userId: string): Pick<Change, 'key' | 'set'> => ({
  key: openChatsKey(userId),
  set: { entity: 'open-chats', schemaVersion: 1 },
});

/** Counts a chat without a task, in the transaction that stores it. */
export const countOpenChat = ({ userId, chatId }: Pick<Chat, 'userId' | 'chatId'>): Change => ({
  ...openChatsChange(userId),
  add: { chatIds: new Set([chatId]) },
  when: { fewerThan: { chatIds: maxOpenChats } },
});

interface Of {
  readonly userId: string;
  readonly now: Date;
}

/**
 * Creates a chat, and repeats it once when only ended chats fill the limit. Many writes end a chat,
 * and none of them counts: ended chats leave the set when it is full. At the limit seven table
 * calls more, and one for each empty chat.
 *
 * @throws {ChatLimitReached}
 */
export async function withinChatLimit<Created>(
  table: Table,
  of: Of,
  create: () => Promise<Created>,
): Promise<Created> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof ChatLimitReached) || !(await removeEnded(table, of))) throw error;
    return create();
  }
}

/** The most chats that leave the set at a time. */
const perRemoval = 50;

/** True when the set has room by now. */
async function removeEnded(table: Table, { userId, now }: Of): Promise<boolean> {
  const { chatIds } = OpenChats.parse((await getItem(table, openChatsKey(userId))) ?? {});
  const found = await existingItems(table, [...chatIds].map(chatKey));
  const chats = new Map(found.map((item) => Chat.parse(item)).map((chat) => [chat.chatId, chat]));
  const isOpen = (chatId: string) => ['active', 'sleeping'].includes(chats.get(chatId)?.status ?? '');
  const ended = [...chatIds].filter((chatId) => !isOpen(chatId)).slice(0, perRemoval);
  if (ended.length === 0) return chatIds.size < maxOpenChats;
  await Promise.all(ended.map((chatId) => expireIfEmpty(table, chats.get(chatId), now)));
  await transact(table, [
    {
      update: {
        ...openChatsChange(userId),
        takeOut: { chatIds: new Set(ended) },
        when: { exists: true },
      },
    },
    ...ended.flatMap((chatId) => chats.get(chatId) ?? []).map((chat) => markEnded(chat, now)),
  ]);
  return true;
}

const emptySeconds = 30 * 24 * 60 * 60;

/** A chat that ended without a message is not kept for a year, unless a restart can resume it. */
async function expireIfEmpty(table: Table, chat: Chat | undefined, now: Date): Promise<void> {
  if (chat?.status !== 'stopped' || chat.messageCount > 0) return;
  await changeChat(table, chat.chatId, {
    expiresInSeconds: emptySeconds,
    when: { equals: { status: 'stopped', messageCount: 0 }, absent: ['endReason'] },
    isInternal: true,
    now,
  });
}
