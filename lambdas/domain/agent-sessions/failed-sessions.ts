import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { getItems } from '../records/batch-items.js';
import type { AgentSession } from './agent-session.js';

/**
 * The ids of the sessions whose agent has failed, by the last report of their node. A node reports
 * only sessions with a chat. One table call, or none without chats.
 */
export async function failedSessions(
  table: Table,
  sessions: readonly AgentSession[],
): Promise<ReadonlySet<string>> {
  const ofChats = sessions.flatMap(({ agentSessionId, chatId }) =>
    chatId === null ? [] : [{ agentSessionId, key: chatKey(chatId) }],
  );
  if (ofChats.length === 0) return new Set();
  const find = await getItems(
    table,
    ofChats.map(({ key }) => key),
  );
  const failed = ofChats.filter(({ agentSessionId, key }) => {
    const item = find(key);
    const chat = item && Chat.parse(item);
    return chat?.agentSessionId === agentSessionId && chat.activity?.activity === 'error';
  });
  return new Set(failed.map(({ agentSessionId }) => agentSessionId));
}
