import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { transact } from '../records/transact.js';
import { workspaceChange } from '../workspaces/change-workspace.js';
import { type AgentSession, agentSessionKey } from './agent-session.js';

/** Ends a session's record, and that of its chat. Repeatable. One table call. */
export async function endSession(table: Table, session: AgentSession, now: Date): Promise<void> {
  const { workspaceId, agentSessionId, chatId } = session;
  const at = now.toISOString();
  await transact(table, [
    {
      update: {
        key: agentSessionKey(workspaceId, agentSessionId),
        set: { status: 'stopped', stoppedAt: at, updatedAt: at },
        when: { oneOf: { status: ['running'] } },
      },
    },
    {
      update: workspaceChange({
        workspaceId,
        takeOut: { agentSessions: agentSessionId },
        isInternal: true,
        now,
      }),
    },
    ...(chatId
      ? [
          {
            update: {
              key: chatKey(chatId),
              set: { status: 'stopped', endedAt: at, updatedAt: at },
              add: { version: 1 },
              when: { exists: true },
            },
          },
        ]
      : []),
  ]);
}
