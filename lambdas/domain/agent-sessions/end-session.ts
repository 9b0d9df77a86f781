import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import { transact } from '../records/transact.js';
import { workspaceChange } from '../workspaces/change-workspace.js';
import { type AgentSession, agentSessionChange } from './agent-session.js';

/** Ends an agent session and its chat. Repeatable. One table call. */
export async function endSession(table: Table, session: AgentSession, now: Date): Promise<void> {
  const { workspaceId, agentSessionId, chatId } = session;
  const at = now.toISOString();
  await transact(table, [
    {
      update: agentSessionChange(session, {
        set: { status: 'stopped', stoppedAt: at },
        when: { oneOf: { status: ['running'] } },
        now,
      }),
    },
    {
      update: workspaceChange({
        workspaceId,
        takeOut: { agentSessions: agentSessionId },
        isInternal: true,
        now,
      }),
    },
    ...(chatId ? [{ update: chatChange(chatId, { set: { status: 'stopped', endedAt: at }, now }) }] : []),
  ]);
}
