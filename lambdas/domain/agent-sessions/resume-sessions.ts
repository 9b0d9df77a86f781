import type { Table } from '../../shared/table.js';
import { appendWrites } from '../chats/append-message.js';
import { chatChange } from '../chats/change-chat.js';
import type { Chat } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { transact, type Write } from '../records/transact.js';
import { workspaceChange } from '../workspaces/change-workspace.js';
import type { WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { isUsable } from '../workspaces/workspace-status.js';
import { type AgentSession, agentSessionChange } from './agent-session.js';
import { type ContinueDeps, continueOnNode } from './continue-on-node.js';
import { endSession } from './end-session.js';
import { listOpenSessions } from './find-sessions.js';

/**
 * A workspace runs again in its next generation: its suspended agent sessions and their chats
 * continue there. Returns their number. Repeatable. One table call, and at most five for each
 * session.
 *
 * @throws {NodeRefused | NodeUnreachable}
 */
export async function resumeSessions(
  table: Table,
  { workspaceId, generation }: WorkspaceGeneration,
  deps: ContinueDeps,
): Promise<number> {
  const { workspace, sessions } = await listOpenSessions(table, workspaceId);
  if (workspace?.generation !== generation || !isUsable(workspace.status)) return 0;
  let resumed = 0;
  for (const session of sessions.filter((one) => one.generation < generation)) {
    const chat = session.chatId === null ? undefined : await findChat(table, session.chatId);
    const isResumed = await resumeOrEnd(table, { session: { ...session, generation }, chat, deps });
    if (isResumed) resumed += 1;
  }
  return resumed;
}

async function resumeOrEnd(table: Table, resumption: Resumption): Promise<boolean> {
  const { chat, session, deps } = resumption;
  if (!chat || mayContinue(chat, session)) return resume(table, resumption);
  await endSession(table, session, deps);
  return false;
}

/** Not when a person or its task ended the chat, or when it has another agent session. */
function mayContinue({ agentSessionId, status, endReason, shutdownId }: Chat, session: AgentSession) {
  if (agentSessionId !== session.agentSessionId || shutdownId !== undefined) return false;
  return status !== 'stopped' || endReason !== undefined;
}

interface Resumption {
  /** In its next generation. */
  readonly session: AgentSession;
  readonly chat: Chat | undefined;
  readonly deps: ContinueDeps;
}

/** The node first: a session there without a record does nothing. */
async function resume(table: Table, resumption: Resumption): Promise<boolean> {
  const { session, deps } = resumption;
  const { onNode } = await continueOnNode(table, session, deps);
  // The node has created the workspace in this generation, which ends sessions of earlier ones.
  if (onNode.status === 'stopped') {
    await endSession(table, session, deps);
    return false;
  }
  const hasConversation = onNode.acpSessionId !== null;
  const outcome = await transact(table, resumeWrites(resumption, hasConversation));
  if (outcome.committed) return true;
  const [workspace, record] = outcome.refusals;
  // Both ended in between. A message that came in between is read by the repeat.
  if (workspace?.failed || record?.failed) return false;
  throw new Error('The chat session changed at the same time.');
}

function resumeWrites({ session, chat, deps: { now } }: Resumption, hasConversation: boolean): Write[] {
  const { workspaceId, agentSessionId, generation } = session;
  return [
    {
      update: workspaceChange({
        workspaceId,
        addTo: { agentSessions: agentSessionId },
        when: {
          equals: { generation },
          oneOf: { status: ['running', 'recovering'] },
          absent: ['deletion'],
        },
        isInternal: true,
        now,
      }),
    },
    {
      update: agentSessionChange(session, {
        set: { status: 'running', generation, resumedAt: now.toISOString(), endedBecause: null },
        when: { oneOf: { status: ['running', 'suspended'] } },
        now,
      }),
    },
    ...(chat ? chatWrites(chat, { session, hasConversation, now }) : []),
  ];
}

interface ChatResumption {
  readonly session: AgentSession;
  readonly hasConversation: boolean;
  readonly now: Date;
}

/** An agent without its conversation is started by the next prompt. */
function chatWrites(chat: Chat, { session, hasConversation, now }: ChatResumption): readonly Write[] {
  const { chatId, isStarted, version } = chat;
  const set = {
    status: 'active',
    endReason: null,
    endedBecause: null,
    endedAt: null,
    activity: null,
    snapshotExpiresAt: null,
    ...(hasConversation ? {} : { isStarted: null }),
  } as const;
  if (isStarted && !hasConversation) return appendWrites(chat, { message: lostNotice(session), set, now });
  return [{ update: chatChange(chatId, { set, when: { equals: { version } }, now }) }];
}

const lostNotice = ({ workspaceId, generation }: AgentSession) => ({
  messageId: `restart-${workspaceId}-${generation}`,
  role: 'system' as const,
  content:
    'The workspace was restarted without its former files. Its agent begins without the conversation: the messages above are not known to it.',
  toolMetadata: null,
  origin: 'system' as const,
});
