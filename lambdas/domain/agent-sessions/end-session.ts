import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import type { ChatEndReason } from '../chats/chat.js';
import type { EndedBecause } from '../endings/ended-because.js';
import { transact, type Write } from '../records/transact.js';
import { workspaceChange } from '../workspaces/change-workspace.js';
import { type AgentSession, agentSessionChange } from './agent-session.js';

/** The row of a stopped session is kept this long, for repeated stops and late reports. */
const keptSeconds = 30 * 24 * 60 * 60;

interface SessionEnd {
  readonly now: Date;
  /** The workspace ended the session; otherwise a person or a task did. */
  readonly reason?: ChatEndReason;
  /** The same in words. */
  readonly endedBecause?: EndedBecause | undefined;
}

/**
 * Ends an agent session and its chat. A chat that has another agent session by now stays as it is.
 * Repeatable: false when the session has ended before. One table call, two when the chat stays.
 */
export function endSession(table: Table, session: AgentSession, end: SessionEnd): Promise<boolean> {
  return write(table, sessionWrites(session, end), chatWrite(session, end));
}

/**
 * The workspace of the session stopped or failed: its chat ends, and continues with the session
 * once the workspace runs again. Otherwise as `endSession`.
 */
export function suspendSession(table: Table, session: AgentSession, end: SessionEnd): Promise<boolean> {
  const { now, endedBecause } = end;
  const suspend = agentSessionChange(session, {
    set: { status: 'suspended', suspendedAt: now.toISOString(), endedBecause },
    // The next start of the workspace may have continued it.
    when: { equals: { generation: session.generation }, oneOf: { status: ['running'] } },
    now,
  });
  return write(table, [{ update: suspend }], chatWrite(session, end));
}

async function write(table: Table, session: readonly Write[], chat: readonly Write[]): Promise<boolean> {
  const outcome = await transact(table, [...session, ...chat]);
  if (outcome.committed || outcome.refusals[0]?.failed) return outcome.committed;
  return (await transact(table, session)).committed;
}

function sessionWrites(session: AgentSession, { now, endedBecause }: SessionEnd): readonly Write[] {
  const { workspaceId, agentSessionId } = session;
  return [
    {
      update: agentSessionChange(session, {
        set: { status: 'stopped', stoppedAt: now.toISOString(), endedBecause },
        expiresInSeconds: keptSeconds,
        when: { oneOf: { status: ['running', 'suspended'] } },
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
  ];
}

function chatWrite(
  { chatId, agentSessionId }: AgentSession,
  { now, reason, endedBecause }: SessionEnd,
): readonly Write[] {
  if (!chatId) return [];
  const update = chatChange(chatId, {
    set: {
      status: reason === 'workspace_failed' ? 'error' : 'stopped',
      endReason: reason,
      endedBecause,
      endedAt: now.toISOString(),
    },
    when: { equals: { agentSessionId }, oneOf: { status: ['active', 'sleeping', 'error'] } },
    now,
  });
  return [{ update }];
}
