import type { Table } from '../../shared/table.js';
import { changeChat, chatChange } from '../chats/change-chat.js';
import { type Chat, chatItem, newChat } from '../chats/chat.js';
import type { Write } from '../records/transact.js';
import { type PromptRequest, promptWrites } from './accept-prompt.js';
import { ChatEnded } from './errors.js';
import { newPrompt } from './prompt.js';
import { isNextUnqueued, unqueuedRef } from './queue.js';
import { removeShutdownMarker } from './queue-items.js';

/**
 * A new chat whose first prompt starts its agent, as writes of a larger transaction. Only the task
 * run that creates the agent session delivers this prompt; later prompts wait for it.
 */
export function newChatWithPrompt(
  request: Parameters<typeof newChat>[0],
  prompt: PromptRequest,
  now: Date,
): { readonly chat: Chat; readonly writes: readonly Write[] } {
  const { chatId, projectId } = request;
  const place = { chatId, projectId, sequence: 1, isUnqueued: true } as const;
  const first = newPrompt({ ...prompt, ...place, kind: 'start' }, now);
  const chat: Chat = {
    ...newChat(request, now),
    messageCount: 1,
    lastSequence: 1,
    queuedPrompts: 1,
    unqueued: unqueuedRef(first),
    lastMessageAt: now.toISOString(),
    startDeliveryId: prompt.deliveryId,
  };
  return { chat, writes: [{ put: chatItem(chat), when: { exists: false } }, ...promptWrites(first)] };
}

const noAgent = {
  workspaceId: null,
  agentSessionId: null,
  activity: null,
  endedAt: null,
  endReason: null,
  isStarted: null,
  deliveringId: null,
  shutdownId: null,
  replan: null,
};

/**
 * Continues the chat of a task with a prompt that starts another agent, as writes of a larger
 * transaction. The chat has ended, or runs again with the workspace of an earlier run.
 */
export function restartChat(chat: Chat, prompt: PromptRequest, now: Date): readonly Write[] {
  const { chatId, projectId, lastSequence, version } = chat;
  const place = { chatId, projectId, sequence: lastSequence + 1, isUnqueued: isNextUnqueued(chat) };
  const first = newPrompt({ ...prompt, ...place, kind: 'start' }, now);
  return [
    {
      update: chatChange(chatId, {
        set: {
          ...noAgent,
          status: 'active',
          startDeliveryId: prompt.deliveryId,
          unqueued: first.isUnqueued ? unqueuedRef(first) : undefined,
          lastSequence: first.sequence,
          lastMessageAt: now.toISOString(),
        },
        increment: { messageCount: 1, queuedPrompts: 1 },
        when: { equals: { version } },
        now,
      }),
    },
    ...promptWrites(first),
    removeShutdownMarker(chatId),
  ];
}

interface ChatLink {
  readonly chatId: string;
  readonly workspaceId: string;
  readonly agentSessionId: string;
}

/**
 * Links a chat to the agent session that was created for it. Repeatable. One table call.
 *
 * @throws {ChatEnded} the chat has ended, or has another agent session
 */
export async function linkChat(table: Table, link: ChatLink, now: Date): Promise<void> {
  const { chatId, workspaceId, agentSessionId } = link;
  const { changed, chat } = await changeChat(table, chatId, {
    set: { workspaceId, agentSessionId },
    // Once the first prompt has started the agent, the chat keeps its agent session.
    when: { oneOf: { status: ['active'] }, present: ['startDeliveryId'] },
    now,
  });
  if (changed) return;
  if (chat?.agentSessionId !== agentSessionId) throw new ChatEnded(chat?.status ?? 'deleted');
}
