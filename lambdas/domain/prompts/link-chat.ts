import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { changeItem } from '../records/change-item.js';
import { ChatEnded } from './errors.js';

export interface ChatLink {
  readonly chatId: string;
  readonly workspaceId: string;
  readonly agentSessionId: string;
}

/**
 * Says which agent session a chat tells that was begun before it had one. Repeatable. One table call.
 *
 * @throws {ChatEnded} it has ended, or has another agent session by now
 */
export async function linkChat(table: Table, link: ChatLink, now: Date): Promise<void> {
  const { chatId, workspaceId, agentSessionId } = link;
  const outcome = await changeItem(table, {
    key: chatKey(chatId),
    set: { workspaceId, agentSessionId, updatedAt: now.toISOString() },
    add: { version: 1 },
    // Once the agent was begun with its first prompt, the session that it began in is the chat's for good.
    when: { oneOf: { status: ['active'] }, present: ['startDeliveryId'] },
  });
  if (outcome.changed) return;
  const met = outcome.item && Chat.parse(outcome.item);
  if (met?.agentSessionId !== agentSessionId) throw new ChatEnded(met?.status ?? 'gone');
}
