import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { changeItem } from '../records/change-item.js';
import { type AgentSigns, isSilentSince } from './agent-signs.js';

const statusError =
  'Nothing was heard of the agent or its node for five minutes; what it does will be shown when it is heard again.';

/**
 * An agent at work that is silent was interrupted: people see it as such until its node tells of it again, which it does by
 * itself every two minutes. One table call, or none.
 */
export async function noteSilence(table: Table, { chat, heardAt }: AgentSigns, now: Date): Promise<void> {
  if (!chat?.activity || heardAt === undefined || !isSilentSince(heardAt, now)) return;
  const { activity } = chat;
  if (activity.activity !== 'prompting' && activity.activity !== 'recovering') return;
  const at = now.toISOString();
  await changeItem(table, {
    key: chatKey(chat.chatId),
    set: {
      activity: { ...activity, activity: 'error', activityAt: at, promptStartedAt: null, statusError },
      updatedAt: at,
    },
    add: { version: 1 },
    // Heard of meanwhile, if only that it still works: it was not interrupted.
    when: { equals: { version: chat.version, updatedAt: chat.updatedAt } },
  });
}
