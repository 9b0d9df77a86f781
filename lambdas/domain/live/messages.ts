import type { LiveServerMessage } from '../../../protocol/live.js';
import { BootLogRecord } from '../boot-log/boot-log.js';
import { Chat } from '../chats/chat.js';
import { shownState } from '../prompts/acknowledgement.js';
import { Prompt } from '../prompts/prompt.js';
import { Session } from '../sessions/session.js';
import { Task } from '../tasks/task.js';
import { Workspace } from '../workspaces/workspace.js';
import { chatTopic, projectTopic, workspaceTopic } from './topic.js';

type Item = Readonly<Record<string, unknown>>;

/** What is told to whoever has subscribed to its topic. */
export type TopicMessage = Extract<LiveServerMessage, { data: unknown }>;

/** The state of a workspace as subscribers are told it; built field by field, so that no secret can slip in. */
export function statusMessage(workspace: Workspace): TopicMessage {
  const { workspaceId, status, errorMessage, version } = workspace;
  return {
    type: 'workspace.status',
    topic: workspaceTopic(workspaceId),
    version,
    data: { workspaceId, status, errorMessage },
  };
}

export function chatMessage(chat: Chat, topic: string): TopicMessage {
  const { chatId: sessionId, status, lastSequence, messageCount, queuedPrompts, version } = chat;
  return {
    type: 'chat.updated',
    topic,
    version,
    data: { sessionId, status, lastSequence, messageCount, queuedPrompts },
  };
}

/** What subscribers are told of a change of the table; nothing for most. */
export function messagesOf(before: Item | undefined, after: Item | undefined): readonly TopicMessage[] {
  if (!after || before?.version === after.version) return bootLogMessage(before, after);
  switch (after.entity) {
    case 'workspace':
      return [statusMessage(Workspace.parse(after))];
    case 'chat':
      return chatMessages(before && Chat.parse(before), Chat.parse(after));
    case 'prompt':
      return [promptMessage(Prompt.parse(after))];
    case 'task':
      return [taskMessage(Task.parse(after))];
    default:
      return [];
  }
}

function bootLogMessage(before: Item | undefined, after: Item | undefined): readonly TopicMessage[] {
  if (before || after?.entity !== 'boot-log') return [];
  const { workspaceId, entryId, generation, entry } = BootLogRecord.parse(after);
  const data = { workspaceId, entryId, generation, entry };
  return [{ type: 'workspace.boot_log', topic: workspaceTopic(workspaceId), data }];
}

function chatMessages(before: Chat | undefined, after: Chat): readonly TopicMessage[] {
  const { chatId, projectId, activity, version } = after;
  const topic = chatTopic(chatId);
  const updated = [chatMessage(after, topic), chatMessage(after, projectTopic(projectId))];
  if (!activity || before?.activity?.activityAt === activity.activityAt) return updated;
  const { promptStartedAt, statusError } = activity;
  const data = { sessionId: chatId, activity: activity.activity, promptStartedAt, statusError };
  return [...updated, { type: 'session.activity', topic, version, data }];
}

function promptMessage(prompt: Prompt): TopicMessage {
  const { chatId, deliveryId, promptMessageId, terminalReason, lastError, version } = prompt;
  return {
    type: 'prompt.updated',
    topic: chatTopic(chatId),
    version,
    data: {
      sessionId: chatId,
      deliveryId,
      messageId: promptMessageId,
      state: shownState(prompt),
      reason: terminalReason ?? lastError,
    },
  };
}

function taskMessage({ taskId, projectId, status, executionStep, version }: Task): TopicMessage {
  const data = { taskId, status, executionStep };
  return { type: 'task.updated', topic: projectTopic(projectId), version, data };
}

/** The session that has ended by this change: signed out, or expired. */
export function endedSession(before: Item | undefined, after: Item | undefined): Session | undefined {
  if (before?.entity !== 'session' || after !== undefined) return undefined;
  return Session.parse(before);
}
