import { isDeepStrictEqual } from 'node:util';
import type { LiveEvent } from '../../../protocol/live.js';
import { BootLogRecord } from '../boot-log/boot-log.js';
import { Chat } from '../chats/chat.js';
import { Message } from '../chats/message.js';
import { type DeliveryState, Prompt } from '../prompts/prompt.js';
import { shownState } from '../prompts/prompt-state.js';
import { Session } from '../sessions/session.js';
import { Task } from '../tasks/task.js';
import { Workspace } from '../workspaces/workspace.js';
import { sessionMessages } from './session-messages.js';
import { chatTopic, projectTopic, workspaceTopic } from './topic.js';
import { wordsMessage } from './words.js';

type Item = Readonly<Record<string, unknown>>;

/** The state of a workspace as subscribers are told it; built field by field, so that no secret can slip in. */
export function statusMessage(workspace: Workspace): LiveEvent {
  const { workspaceId, status, errorMessage, version } = workspace;
  return {
    type: 'workspace.status',
    topic: workspaceTopic(workspaceId),
    version,
    data: { workspaceId, status, errorMessage },
  };
}

/** What subscribers are told of a change of the table; nothing for most. */
export function messagesOf(before: Item | undefined, after: Item | undefined): readonly LiveEvent[] {
  if (!after || before?.version === after.version) return before ? [] : entryMessages(after);
  switch (after.entity) {
    case 'workspace':
      return [statusMessage(Workspace.parse(after))];
    case 'chat':
      return sessionMessages(before && Chat.parse(before), Chat.parse(after));
    case 'prompt':
      return promptMessages(before && Prompt.parse(before), Prompt.parse(after));
    case 'task':
      return [taskMessage(Task.parse(after))];
    default:
      return [];
  }
}

/** Of what is written once. */
function entryMessages(after: Item | undefined): readonly LiveEvent[] {
  if (after?.entity === 'message') return [wordsMessage(Message.parse(after))];
  if (after?.entity !== 'boot-log') return [];
  const { workspaceId, entryId, generation, entry } = BootLogRecord.parse(after);
  const data = { workspaceId, entryId, generation, entry };
  return [{ type: 'workspace.boot_log', topic: workspaceTopic(workspaceId), data }];
}

/** A new one is told with the message that shows it. */
function promptMessages(before: Prompt | undefined, after: Prompt): readonly LiveEvent[] {
  const data = promptData(after);
  if (!before || isDeepStrictEqual(promptData(before), data)) return [];
  return [{ type: 'prompt.updated', topic: chatTopic(after.chatId), version: after.version, data }];
}

/** An attempt to deliver it changes nothing for people: it is on its way. */
const onItsWay: readonly DeliveryState[] = ['queued', 'delivering', 'retry_wait'];

function promptData(prompt: Prompt) {
  const { chatId: sessionId, deliveryId, promptMessageId: messageId, terminalReason, lastError } = prompt;
  const state = shownState(prompt);
  const shown = onItsWay.includes(state) ? 'queued' : state;
  return { sessionId, deliveryId, messageId, state: shown, reason: terminalReason ?? lastError };
}

function taskMessage({ taskId, projectId, status, executionStep, version }: Task): LiveEvent {
  const data = { taskId, status, executionStep };
  return { type: 'task.updated', topic: projectTopic(projectId), version, data };
}

/** The session that has ended by this change: signed out, or expired. */
export function endedSession(before: Item | undefined, after: Item | undefined): Session | undefined {
  if (before?.entity !== 'session' || after !== undefined) return undefined;
  return Session.parse(before);
}
