import type { LiveServerMessage } from '../../../protocol/live.js';
import { BootLogRecord } from '../boot-log/boot-log.js';
import { Chat } from '../chats/chat.js';
import { Message } from '../chats/message.js';
import { shownState } from '../prompts/acknowledgement.js';
import { Prompt } from '../prompts/prompt.js';
import { Session } from '../sessions/session.js';
import { Task } from '../tasks/task.js';
import { Workspace } from '../workspaces/workspace.js';
import { sessionMessages } from './session-messages.js';
import { chatTopic, projectTopic, workspaceTopic } from './topic.js';
import { wordsMessage } from './words.js';

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

/** What subscribers are told of a change of the table; nothing for most. */
export function messagesOf(before: Item | undefined, after: Item | undefined): readonly TopicMessage[] {
  if (!after || before?.version === after.version) return before ? [] : entryMessages(after);
  switch (after.entity) {
    case 'workspace':
      return [statusMessage(Workspace.parse(after))];
    case 'chat':
      return sessionMessages(before && Chat.parse(before), Chat.parse(after));
    case 'prompt':
      return [promptMessage(Prompt.parse(after))];
    case 'task':
      return [taskMessage(Task.parse(after))];
    default:
      return [];
  }
}

/** Of what is written once. */
function entryMessages(after: Item | undefined): readonly TopicMessage[] {
  if (after?.entity === 'message') return [wordsMessage(Message.parse(after))];
  if (after?.entity !== 'boot-log') return [];
  const { workspaceId, entryId, generation, entry } = BootLogRecord.parse(after);
  const data = { workspaceId, entryId, generation, entry };
  return [{ type: 'workspace.boot_log', topic: workspaceTopic(workspaceId), data }];
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
