import type { LiveEvent } from '../../../protocol/live.js';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { Member, memberKey } from '../projects/member.js';
import { getItem, getItems, type Item } from '../records/batch-items.js';
import { liveSession, type SessionClaim } from '../sessions/find-session.js';
import { sessionKey } from '../sessions/session.js';
import { User, userKey } from '../users/user.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { chatEvent } from './chat-events.js';
import { Connection, connectionKey } from './connection.js';
import { workspaceEvent } from './events.js';
import { readTopic, type TopicKind } from './topic.js';

interface TopicRequest {
  readonly topic: string;
  readonly userId: string;
  /** The sign-in session in which the connection was opened. */
  readonly sessionHash: string;
  readonly connectionId: string;
  readonly now: Date;
}

/**
 * The connection, if its sign-in session is valid, and whether the person may see the topic: an own
 * workspace, a project of which they are a member, a chat of such a project, or the own inbox. One
 * table call, and one more for a chat.
 */
export async function findTopicAccess(table: Table, watching: TopicRequest) {
  const { topic, userId, sessionHash, connectionId, now } = watching;
  const { kind, id } = readTopic(topic);
  const claim: SessionClaim = { userId, keys: [sessionKey(sessionHash), userKey(userId)] };
  const keys = { connection: connectionKey(connectionId), subject: subjectKeys[kind](id, userId) };
  const find = await getItems(table, [...Object.values(keys), ...claim.keys]);
  // It may have been opened at the moment in which the session ended, so that nobody has closed it.
  const connection = liveSession(find, claim, now) && find(keys.connection);
  const subject = find(keys.subject);
  return {
    connection: connection && Connection.parse(connection),
    isVisible: subject !== undefined && (await isVisible[kind](table, subject, userId)),
  };
}

const subjectKeys = {
  workspace: workspaceKey,
  project: memberKey,
  chat: chatKey,
  user: userKey,
} as const satisfies Record<TopicKind, unknown>;

type Look = (table: Table, subject: Item, userId: string) => boolean | Promise<boolean>;

const isVisible: Readonly<Record<TopicKind, Look>> = {
  workspace: (_table, subject, userId) => {
    const workspace = Workspace.parse(subject);
    return workspace.userId === userId && workspace.status !== 'deleted';
  },
  project: (_table, subject) => Member.parse(subject).status === 'active',
  user: (_table, subject, userId) => User.parse(subject).userId === userId,
  chat: async (table, subject, userId) => {
    const key = memberKey(Chat.parse(subject).projectId, userId);
    const member = await getItem(table, key);
    return member !== undefined && Member.parse(member).status === 'active';
  },
};

/** The events that a new subscriber receives at once. One table call, or none. */
export async function currentEvents(table: Table, topic: string): Promise<readonly LiveEvent[]> {
  const { kind, id } = readTopic(topic);
  if (kind === 'project' || kind === 'user') return [];
  if (kind === 'chat') {
    const chat = await findChat(table, id);
    return chat ? [chatEvent(chat, topic)] : [];
  }
  const workspace = await findWorkspace(table, id);
  return workspace && workspace.status !== 'deleted' ? [workspaceEvent(workspace)] : [];
}
