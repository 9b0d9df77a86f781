import type { AgentSession } from '../agent-sessions/agent-session.js';
import { endSession, suspendSession } from '../agent-sessions/end-session.js';
import { listOpenSessions } from '../agent-sessions/find-sessions.js';
import type { ChatEndReason } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import type { Item } from '../records/batch-items.js';
import { isAsleep, Workspace } from '../workspaces/workspace.js';
import type { WorkspaceStatus } from '../workspaces/workspace-status.js';
import { endActiveTask, type FinishDeps } from './finish-task.js';
import { findTask } from './load-task.js';
import type { Task } from './task.js';
import { bySystem } from './task-events.js';

interface WorkspaceLossDeps extends FinishDeps {
  /** Makes the worker mark the waiting prompts of a chat as failed. */
  readonly wake: (chatId: string) => Promise<void>;
  readonly now: Date;
}

/** In these states a workspace runs no agent, and none of its generation will run again. */
const reasonOf: { readonly [Status in WorkspaceStatus]?: ChatEndReason } = {
  stopping: 'workspace_stopped',
  stopped: 'workspace_stopped',
  errored: 'workspace_failed',
  deleted: 'workspace_deleted',
};

/**
 * Ends the chats, waiting prompts and tasks of the agent sessions that their workspace no longer
 * runs: those of an earlier generation, and all once the workspace stops, fails or is deleted. The
 * sessions are suspended, and end with a deletion. Repeatable. One table call, and at most five for
 * each session.
 */
export async function endLostSessions(deps: WorkspaceLossDeps, workspaceId: string): Promise<void> {
  const { workspace, sessions } = await listOpenSessions(deps.table, workspaceId);
  if (!workspace) return;
  for (const session of sessions) {
    const reason = lossOf(session, workspace);
    const isDone = session.status === 'suspended' && !isFinal(reason);
    if (reason && !isDone) await endLost(deps, { session, workspace, reason });
  }
}

/** States in which a workspace has lost agent sessions: these, and the start of a generation. */
const statesOfLoss: readonly WorkspaceStatus[] = ['stopping', 'stopped', 'errored', 'deleted', 'pending'];

/** The id of a workspace that changed in such a state and still has agent sessions. */
export function workspaceWithSessions(after: Item | undefined): string | undefined {
  if (after?.entity !== 'workspace') return undefined;
  const { workspaceId, agentSessions, status } = Workspace.parse(after);
  return agentSessions && statesOfLoss.includes(status) ? workspaceId : undefined;
}

function lossOf({ generation }: AgentSession, workspace: Workspace): ChatEndReason | undefined {
  if (workspace.deletion) return workspace.deletion.isExpired ? 'workspace_archived' : 'workspace_deleted';
  if (isAsleep(workspace)) return undefined;
  const restarted = generation < workspace.generation ? 'workspace_restarted' : undefined;
  return reasonOf[workspace.status] ?? restarted;
}

/** It never runs again. */
const isFinal = (reason: ChatEndReason | undefined): boolean =>
  reason === 'workspace_deleted' || reason === 'workspace_archived';

interface Loss {
  readonly session: AgentSession;
  readonly workspace: Workspace;
  readonly reason: ChatEndReason;
}

/** After a crash between the parts, the sweeps find the waiting prompts and the task. */
async function endLost(deps: WorkspaceLossDeps, { session, workspace, reason }: Loss): Promise<void> {
  const { table, log, now } = deps;
  const { workspaceId, agentSessionId, chatId } = session;
  const end = isFinal(reason) ? endSession : suspendSession;
  const { endedBecause } = workspace;
  if (!(await end(table, session, { now, reason, endedBecause })) || !chatId) return;
  log.info('Agent session ended with its workspace', { workspaceId, agentSessionId, reason });
  const chat = await findChat(table, chatId);
  if (!chat || chat.agentSessionId !== agentSessionId) return;
  if (chat.queuedPrompts > 0) await deps.wake(chatId);
  const task = chat.taskId ? await findTask(table, chat.projectId, chat.taskId) : undefined;
  // An earlier execution of the task may have had the session.
  if (task?.agentSessionId === agentSessionId) await endTaskWithWorkspace(deps, task, workspace);
}

/**
 * Ends the active task of a workspace that runs no more. A conversation is completed, unless its
 * workspace failed. At most one table call.
 */
export function endTaskWithWorkspace(
  deps: FinishDeps & { readonly now: Date },
  task: Task,
  workspace: Workspace,
): Promise<void> {
  const completesConversation = workspace.status !== 'errored';
  const message = lossMessage(workspace, task);
  return endActiveTask(deps, task, {
    to: 'failed',
    completesConversation,
    message,
    endedBecause: workspace.endedBecause,
    actor: bySystem,
    now: deps.now,
  });
}

/** Why a task ended with its workspace, for the person. */
function lossMessage(
  { errorMessage, status, deletion }: Workspace,
  { outputBranch }: Pick<Task, 'outputBranch'>,
): string {
  const state = deletion ? 'deleted' : status;
  return `${errorMessage ?? `Its workspace is ${state}.`} Pushed commits are on the branch ${outputBranch}. Run the task again to continue.`;
}
