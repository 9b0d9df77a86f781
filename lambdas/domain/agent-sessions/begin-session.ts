import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import { chatItem, newChat } from '../chats/chat.js';
import { ChatLimitReached, countOpenChat, withinChatLimit } from '../chats/open-chats.js';
import { membershipEnded } from '../projects/errors.js';
import { memberCheck } from '../projects/member.js';
import { transact, type Write } from '../records/transact.js';
import { workspaceChange } from '../workspaces/change-workspace.js';
import { workspaceNotInState } from '../workspaces/errors.js';
import { Workspace } from '../workspaces/workspace.js';
import { type AgentSession, agentSessionItem, maxRunningSessions } from './agent-session.js';
import { AgentSessionLimitReached, chatNotJoinable } from './errors.js';

export interface SessionStart {
  readonly now: Date;
  /** `present`: the chat of a task. `joined`: a chat of the same person without an agent. */
  readonly chat?: 'new' | 'present' | 'joined';
  readonly also?: readonly Write[];
}

/**
 * Stores an agent session while its workspace runs in the same generation and has room for it. In a
 * project it also stores a new chat, or joins one that no task has. Repeatable. One table call, and
 * more at the limit of chats.
 *
 * @throws {AgentSessionLimitReached | workspaceNotInState | membershipEnded | chatNotJoinable}
 * @throws {ChatLimitReached}
 */
export const beginSession = (table: Table, session: AgentSession, start: SessionStart): Promise<void> =>
  withinChatLimit(table, { userId: session.userId, now: start.now }, () =>
    storeSession(table, session, start),
  );

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each refused write of the one transaction has its own error
async function storeSession(
  table: Table,
  session: AgentSession,
  { now, chat = 'new', also = [] }: SessionStart,
): Promise<void> {
  const { agentSessionId, workspaceId, generation, projectId } = session;
  const outcome = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        addTo: { agentSessions: agentSessionId },
        when: {
          equals: { generation },
          oneOf: { status: ['running', 'recovering'] },
          fewerThan: { agentSessions: maxRunningSessions },
        },
        isInternal: true,
        now,
      }),
    },
    { put: agentSessionItem(session), when: { exists: false } },
    ...chatWrites(session, chat, now),
    ...also,
    ...memberCheck(session),
  ]);
  if (outcome.committed || outcome.refusals[1]?.failed) return;
  if (projectId !== null && outcome.refusals.at(-1)?.failed) throw membershipEnded();
  if (chat === 'joined' && outcome.refusals[2]?.failed) throw chatNotJoinable();
  const met = outcome.refusals[0]?.item;
  const status = met && Workspace.parse(met).status;
  if (chat === 'new' && outcome.refusals[3]?.failed) throw new ChatLimitReached();
  if (status === 'running' || status === 'recovering') throw new AgentSessionLimitReached();
  throw workspaceNotInState(status ?? 'deleted', 'Wait until the workspace is running, or restart it.');
}

function chatWrites(session: AgentSession, chat: SessionStart['chat'], now: Date): readonly Write[] {
  const { agentSessionId, workspaceId, projectId, chatId, userId, label } = session;
  if (!projectId || !chatId || chat === 'present') return [];
  if (chat === 'joined') {
    const set = { workspaceId, agentSessionId };
    const equals = { projectId, userId, status: 'active' } as const;
    return [
      { update: chatChange(chatId, { set, when: { equals, absent: ['agentSessionId', 'taskId'] }, now }) },
    ];
  }
  const made = newChat({ chatId, projectId, userId, workspaceId, topic: label, taskId: null }, now);
  return [
    { put: chatItem({ ...made, agentSessionId }), when: { exists: false } },
    { update: countOpenChat(made) },
  ];
}
