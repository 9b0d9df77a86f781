import { isDeepStrictEqual } from 'node:util';
import type { LiveEvent } from '../../../protocol/live.js';
import type { Chat } from '../chats/chat.js';
import { chatTopic, projectTopic } from './topic.js';

type SessionType =
  `session.${'created' | 'updated' | 'stopped' | 'failed' | 'sleeping' | 'woke' | 'archived'}`;

/** The state of a chat for subscribers of this topic. */
export function chatEvent(chat: Chat, topic: string, type: SessionType = 'session.updated') {
  const { chatId: sessionId, topic: title, status, workspaceId, agentSessionId, version } = chat;
  const { lastSequence, messageCount, queuedPrompts, endReason = null } = chat;
  const counts = { lastSequence, messageCount, queuedPrompts };
  const data = { sessionId, topic: title, status, workspaceId, agentSessionId, endReason, ...counts };
  return { type, topic, version, data } satisfies LiveEvent;
}

/** The events of a change, for subscribers of the chat and of its project. */
export function chatEvents(before: Chat | undefined, after: Chat): readonly LiveEvent[] {
  const topics = [chatTopic(after.chatId), projectTopic(after.projectId)];
  return [
    ...topics.flatMap((topic) => stateEvent(before, after, topic)),
    ...activityEvent(before, after),
    ...topics.flatMap((topic) => attentionEvent(before, after, topic)),
  ];
}

/** None when nothing that subscribers see has changed. */
function stateEvent(before: Chat | undefined, after: Chat, topic: string): readonly LiveEvent[] {
  const message = chatEvent(after, topic, typeOf(before, after));
  const isNew = !before || !isDeepStrictEqual(chatEvent(before, topic).data, message.data);
  return isNew ? [message] : [];
}

function typeOf(before: Chat | undefined, after: Chat): SessionType {
  if (!before) return 'session.created';
  if (before.status === after.status) return 'session.updated';
  if (after.status === 'active') return before.status === 'sleeping' ? 'session.woke' : 'session.updated';
  if (after.endReason === 'workspace_archived') return 'session.archived';
  return typeOfStatus[after.status];
}

function activityEvent(before: Chat | undefined, after: Chat): readonly LiveEvent[] {
  const data = activityData(after);
  if (!data || isDeepStrictEqual(data, before && activityData(before))) return [];
  return [{ type: 'session.activity', topic: chatTopic(after.chatId), version: after.version, data }];
}

function activityData({ chatId: sessionId, activity: state }: Chat) {
  if (!state) return undefined;
  const { activity, promptStartedAt, statusError } = state;
  return { sessionId, activity, promptStartedAt, statusError };
}

/** A question that replaces another one is one event. */
function attentionEvent(before: Chat | undefined, after: Chat, topic: string): readonly LiveEvent[] {
  const [was, is] = [before?.attention, after.attention];
  if (was?.messageId === is?.messageId) return [];
  const { chatId: sessionId, version } = after;
  if (is) {
    const { messageId, category } = is;
    return [{ type: 'attention.created', topic, version, data: { sessionId, messageId, category } }];
  }
  if (!was) return [];
  return [{ type: 'attention.resolved', topic, version, data: { sessionId, messageId: was.messageId } }];
}

const typeOfStatus = {
  sleeping: 'session.sleeping',
  stopped: 'session.stopped',
  error: 'session.failed',
} as const satisfies Readonly<Record<Exclude<Chat['status'], 'active'>, SessionType>>;
