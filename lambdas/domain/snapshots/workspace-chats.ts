import type { Table } from '../../shared/table.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { listRunningSessions } from '../agent-sessions/find-sessions.js';
import { Chat, chatKey } from '../chats/chat.js';
import { isPrompting } from '../prompts/delivery-plan.js';
import { getItems } from '../records/batch-items.js';
import { Task, taskKey } from '../tasks/task.js';
import type { Workspace } from '../workspaces/workspace.js';
import { Snapshot, snapshotKey } from './snapshot.js';

export interface LedChat {
  readonly chat: Chat;
  readonly session: AgentSession;
  /** The task of the chat, if it has one. */
  readonly task?: Task | undefined;
}

export interface WorkspaceChats {
  readonly workspace: Workspace | undefined;
  readonly snapshot: Snapshot | undefined;
  /** The chats that an agent session of the workspace serves, the oldest session first. */
  readonly chats: readonly LedChat[];
}

/** A workspace, its chats with their tasks, and its snapshot. Two table calls. */
export async function loadWorkspaceChats(table: Table, workspaceId: string): Promise<WorkspaceChats> {
  const { workspace, sessions } = await listRunningSessions(table, workspaceId);
  const ofChats = sessions.flatMap(keysOf);
  const key = snapshotKey(workspaceId);
  const find = await getItems(table, [key, ...ofChats.flatMap((one) => [one.chat, one.task])]);
  const chats = ofChats.flatMap(({ session, ...keys }) => {
    const [chat, task] = [find(keys.chat), find(keys.task)];
    return chat ? [{ session, chat: Chat.parse(chat), task: task && Task.parse(task) }] : [];
  });
  const snapshot = find(key);
  return {
    workspace,
    snapshot: snapshot && Snapshot.parse(snapshot),
    chats: chats.filter(({ chat, session }) => chat.agentSessionId === session.agentSessionId).toReversed(),
  };
}

/** A task has the id of its chat. */
const keysOf = (session: AgentSession) =>
  session.chatId === null || session.projectId === null
    ? []
    : [{ session, chat: chatKey(session.chatId), task: taskKey(session.projectId, session.chatId) }];

/** A prompt waits or is on its way, or a turn runs. */
export function isChatBusy(chat: Chat, now: Date): boolean {
  const { queuedPrompts, deliveringId, unconfirmedId, shutdownId } = chat;
  if (queuedPrompts > 0 || shutdownId !== undefined) return true;
  return deliveringId !== undefined || unconfirmedId !== undefined || isPrompting(chat, now);
}

/**
 * A prompt whose turn has ended is confirmed by its receipt before the capture: it does not keep
 * the chat busy.
 */
export function isChatWorking(chat: Chat, now: Date): boolean {
  const hasEnded = chat.activity?.activity === 'idle';
  return isChatBusy(hasEnded ? { ...chat, unconfirmedId: undefined } : chat, now);
}

/** Grows with each message of the chats. */
export const messagesOf = (chats: readonly LedChat[]): number =>
  chats.reduce((sum, { chat }) => sum + chat.lastSequence, 0);
