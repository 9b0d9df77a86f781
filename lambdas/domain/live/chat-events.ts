import { isDeepStrictEqual } from 'node:util';
import type { LiveEvent } from '../../../protocol/live.js';
import { type AttentionMarker, attentionMarkers, type Chat } from '../chats/chat.js';
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
    ...topics.flatMap((topic) => attentionEvents(before, after, topic)),
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

/** One event for each marker that the change sets or removes. */
function attentionEvents(before: Chat | undefined, after: Chat, topic: string): readonly LiveEvent[] {
  const [was, is] = [markersOf(before), markersOf(after)];
  const { chatId: sessionId, version } = after;
  const set = is.filter(({ markerId }) => !was.some((each) => each.markerId === markerId));
  const replaced = set.some(({ source }) => source === 'human_input');
  const removed = was.filter(({ markerId }) => !is.some((each) => each.markerId === markerId));
  return [
    ...set.map(
      (marker) => ({ type: 'attention.created', topic, version, data: { sessionId, ...marker } }) as const,
    ),
    // A question that replaces another one is one event.
    ...removed
      .filter(({ source }) => !(replaced && source === 'human_input'))
      .map(({ category: _, ...marker }) => {
        return { type: 'attention.resolved', topic, version, data: { sessionId, ...marker } } as const;
      }),
  ];
}

function markersOf(chat: Chat | undefined): readonly MarkerData[] {
  if (!chat) return [];
  const { messageId, category = '' } = chat.attention ?? {};
  return attentionMarkers(chat).map(({ markerId, source }) =>
    markerId === messageId ? { markerId, source, messageId, category } : { markerId, source },
  );
}

type MarkerData = Pick<AttentionMarker, 'markerId' | 'source'> & {
  readonly messageId?: string;
  readonly category?: string;
};

const typeOfStatus = {
  sleeping: 'session.sleeping',
  stopped: 'session.stopped',
  error: 'session.failed',
} as const satisfies Readonly<Record<Exclude<Chat['status'], 'active'>, SessionType>>;
