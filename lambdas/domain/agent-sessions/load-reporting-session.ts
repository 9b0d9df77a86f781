import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { chatNotFound } from '../chats/errors.js';
import { type Find, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { Task, taskKey } from '../tasks/task.js';
import { requireGeneration } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { AgentSession, agentSessionKey } from './agent-session.js';

export interface SessionReporter {
  readonly workspaceId: string;
  readonly nodeId: string;
  /** Of the workspace. */
  readonly generation: number;
  readonly projectId: string;
  readonly agentSessionId: string;
}

export interface Conversation {
  readonly chat: Chat;
  /** The task of the chat, if it has one. */
  readonly task: Task | undefined;
}

/** Records that are read with the chat, and how to find them. */
type Beside = (chatId: string) => readonly Key[];
type ConversationWith = Conversation & { readonly find: Find };

/**
 * The chat of the agent session that a node reports about. Two table calls.
 *
 * @throws {chatNotFound} the workspace has no such session, or it belongs to another project or to
 * none
 * @throws {workspaceNotFound | StaleGeneration}
 */
export async function loadReportingSession(
  table: Table,
  reporter: SessionReporter,
  beside: Beside = () => [],
): Promise<ConversationWith> {
  const { workspaceId, agentSessionId, projectId } = reporter;
  const keys = {
    workspace: workspaceKey(workspaceId),
    session: agentSessionKey(workspaceId, agentSessionId),
  };
  const find = await getItems(table, Object.values(keys));
  const workspace = find(keys.workspace);
  requireGeneration(workspace && Workspace.parse(workspace), reporter);
  const found = find(keys.session);
  const session = found && AgentSession.parse(found);
  if (!session?.chatId || session.projectId !== projectId) throw chatNotFound();
  const { chatId } = session;
  return loadConversation(table, { projectId, chatId }, beside(chatId));
}

async function loadConversation(
  table: Table,
  { projectId, chatId }: { readonly projectId: string; readonly chatId: string },
  beside: readonly Key[],
): Promise<ConversationWith> {
  // A task has the id of its chat.
  const keys = { chat: chatKey(chatId), task: taskKey(projectId, chatId) };
  const find = await getItems(table, [...Object.values(keys), ...beside]);
  const [chat, task] = [find(keys.chat), find(keys.task)];
  if (!chat) throw chatNotFound();
  return { chat: Chat.parse(chat), task: task && Task.parse(task), find };
}
