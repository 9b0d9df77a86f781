import type { LiveEvent } from '../../../protocol/live.js';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { Member, memberKey } from '../projects/member.js';
import { getItems, type Item } from '../records/batch-items.js';
import { liveSession, type SessionClaim } from '../sessions/find-session.js';
import { sessionKey } from '../sessions/session.js';
import { userKey } from '../users/user.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import { Connection, connectionKey } from './connection.js';
import { statusMessage } from './messages.js';
import { sessionMessage } from './session-messages.js';
import { readTopic, type TopicKind } from './topic.js';

export interface Watching {
  readonly topic: string;
  readonly userId: string;
  /** Of the session in which the connection was opened. */
  readonly sessionHash: string;
  readonly connectionId: string;
  readonly now: Date;
}

/**
 * A connection whose session still lives, and whether its person may see what a topic is about: a workspace of theirs, a project that they are a
 * member of, or a chat of such a project. One table call, and one more for a chat, which alone knows its project.
 */
export async function findWatched(table: Table, watching: Watching) {
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
} as const satisfies Record<TopicKind, unknown>;

type Look = (table: Table, subject: Item, userId: string) => boolean | Promise<boolean>;

const isVisible: Readonly<Record<TopicKind, Look>> = {
  workspace: (_table, subject, userId) => {
    const workspace = Workspace.parse(subject);
    return workspace.userId === userId && workspace.status !== 'deleted';
  },
  project: (_table, subject) => Member.parse(subject).status === 'active',
  chat: async (table, subject, userId) => {
    const key = memberKey(Chat.parse(subject).projectId, userId);
    const member = (await getItems(table, [key]))(key);
    return member !== undefined && Member.parse(member).status === 'active';
  },
};

/** What a new subscriber of a topic is told at once. One table call, or none. */
export async function presentOf(table: Table, topic: string): Promise<readonly LiveEvent[]> {
  const { kind, id } = readTopic(topic);
  if (kind === 'project') return [];
  if (kind === 'chat') {
    const chat = await findChat(table, id);
    return chat ? [sessionMessage(chat, topic)] : [];
  }
  const workspace = await findWorkspace(table, id);
  return workspace && workspace.status !== 'deleted' ? [statusMessage(workspace)] : [];
}
