import { Conflict } from '../../shared/errors.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import type { Chat } from '../chats/chat.js';
import type { Sagas } from '../sagas/sagas.js';
import { sleepWorkspace } from '../sagas/sleep-workspace.js';
import type { StopDeps } from '../sagas/stop-workspace.js';
import { isInUse } from '../workspaces/idle-rules.js';
import type { Workspace } from '../workspaces/workspace.js';
import { hasOnlySnapshot, isUsable } from '../workspaces/workspace-status.js';
import type { Task } from './task.js';

export interface RestDeps extends Pick<StopDeps, 'table' | 'now'> {
  readonly sagas: Pick<Sagas, 'startSleepWorkspace'>;
  readonly newId: () => string;
}

/** What the execution of a task has left. */
export interface Remains {
  readonly task: Task;
  readonly chat: Chat | undefined;
  readonly session: AgentSession | undefined;
  readonly workspace: Workspace | undefined;
}

/** A completed task whose agent can still be asked: a message to its chat continues it. */
export const mayRest = ({ task, chat, session, workspace }: Remains): boolean =>
  task.status === 'completed' &&
  task.startedAt !== null &&
  session?.status === 'running' &&
  isOpen(chat, session) &&
  workspace !== undefined &&
  isThere(workspace);

const isOpen = (chat: Chat | undefined, { agentSessionId }: AgentSession): boolean =>
  (chat?.status === 'active' || chat?.status === 'sleeping') &&
  chat.agentSessionId === agentSessionId &&
  chat.shutdownId === undefined;

const isThere = ({ status, wake, deletion }: Workspace): boolean =>
  !deletion && (isUsable(status) || hasOnlySnapshot(status) || wake !== undefined);

/**
 * Claims the sleep of the workspace of a completed task at once. One that cannot sleep now, because
 * somebody uses it or its last sleep failed, sleeps by the idle rules. Repeatable.
 */
export async function restCompleted(
  { table, sagas, now, newId }: RestDeps,
  { workspaceId }: Workspace,
): Promise<void> {
  const isDue = ({ workspace }: { readonly workspace: Workspace }) => !isInUse(workspace, now);
  try {
    // The sweep starts a saga that was not started.
    await sleepWorkspace({ table, sagas }, { workspaceId, by: 'task', isDue, now, newId }, () => undefined);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}
