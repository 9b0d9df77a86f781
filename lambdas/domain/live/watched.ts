import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { Member, memberKey } from '../projects/member.js';
import { getItems } from '../records/get-items.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import { chatMessage, statusMessage, type TopicMessage } from './messages.js';
import { readTopic } from './topic.js';

/** What a topic is about, as far as a new subscriber is told at once. */
export interface Watched {
  readonly present: readonly TopicMessage[];
}

/**
 * What is behind a topic, if this person may see it: a workspace of theirs, a project that they are a member of, or a chat
 * of such a project. One table call, and one more for a chat.
 */
export async function findWatched(table: Table, topic: string, userId: string): Promise<Watched | undefined> {
  const { kind, id } = readTopic(topic);
  if (kind === 'workspace') return watchedWorkspace(table, id, userId);
  if (kind === 'project') return (await isMember(table, id, userId)) ? { present: [] } : undefined;
  const chat = await findChat(table, id);
  return chat && (await isMember(table, chat.projectId, userId)) ? watchedChat(chat, topic) : undefined;
}

async function watchedWorkspace(table: Table, id: string, userId: string): Promise<Watched | undefined> {
  const workspace = await findWorkspace(table, id);
  if (workspace?.userId !== userId || workspace.status === 'deleted') return undefined;
  return { present: [statusMessage(workspace)] };
}

const watchedChat = (chat: Chat, topic: string): Watched => ({ present: [chatMessage(chat, topic)] });

async function isMember(table: Table, projectId: string, userId: string): Promise<boolean> {
  const key = memberKey(projectId, userId);
  const found = (await getItems(table, [key]))(key);
  return found !== undefined && Member.parse(found).status === 'active';
}
