import type { Chat } from '../chats/chat.js';
import type { TopicMessage } from './messages.js';
import { chatTopic, projectTopic } from './topic.js';

type SessionType = `session.${'created' | 'updated' | 'stopped' | 'failed'}`;

/** How a chat session stands, as those are told who watch it. */
export function sessionMessage(chat: Chat, topic: string, type: SessionType = 'session.updated') {
  const { chatId: sessionId, topic: title, status, workspaceId, agentSessionId, version } = chat;
  const { lastSequence, messageCount, queuedPrompts } = chat;
  const counts = { lastSequence, messageCount, queuedPrompts };
  const data = { sessionId, topic: title, status, workspaceId, agentSessionId, ...counts };
  return { type, topic, version, data } satisfies TopicMessage;
}

/** What a change of a chat means for those who watch it, and for those who watch its project. */
export function sessionMessages(before: Chat | undefined, after: Chat): readonly TopicMessage[] {
  const topics = [chatTopic(after.chatId), projectTopic(after.projectId)];
  const type = typeOf(before, after);
  return [
    ...topics.map((topic) => sessionMessage(after, topic, type)),
    ...activityMessage(before, after),
    ...topics.flatMap((topic) => attentionMessage(before, after, topic)),
  ];
}

function typeOf(before: Chat | undefined, after: Chat): SessionType {
  if (!before) return 'session.created';
  if (before.status === after.status) return 'session.updated';
  if (after.status === 'stopped') return 'session.stopped';
  return after.status === 'error' ? 'session.failed' : 'session.updated';
}

function activityMessage(before: Chat | undefined, after: Chat): readonly TopicMessage[] {
  const { chatId, activity, version } = after;
  if (!activity || before?.activity?.activityAt === activity.activityAt) return [];
  const { promptStartedAt, statusError } = activity;
  const data = { sessionId: chatId, activity: activity.activity, promptStartedAt, statusError };
  return [{ type: 'session.activity', topic: chatTopic(chatId), version, data }];
}

/** A question that takes the place of another one tells of itself alone. */
function attentionMessage(before: Chat | undefined, after: Chat, topic: string): readonly TopicMessage[] {
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
