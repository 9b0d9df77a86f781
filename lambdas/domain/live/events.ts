import { isDeepStrictEqual } from 'node:util';
import type { LiveEvent } from '../../../protocol/live.js';
import { BootLogRecord } from '../boot-log/boot-log.js';
import { Chat } from '../chats/chat.js';
import { Message } from '../chats/message.js';
import { Interaction } from '../interactions/interaction.js';
import { Member } from '../projects/member.js';
import { type DeliveryState, Prompt } from '../prompts/prompt.js';
import { shownState } from '../prompts/prompt-state.js';
import { Session } from '../sessions/session.js';
import { Task } from '../tasks/task.js';
import { Workspace } from '../workspaces/workspace.js';
import { chatEvents } from './chat-events.js';
import { messageEvent } from './coalesce-events.js';
import { evictionEvents } from './eviction-events.js';
import { chatTopic, projectTopic, workspaceTopic } from './topic.js';
import { wakeEvents } from './wake-events.js';

type Item = Readonly<Record<string, unknown>>;

/** Built field by field, so that it contains no secret. */
export function workspaceEvent(workspace: Workspace): LiveEvent {
  const { workspaceId, status, errorMessage, version, admissionReason, admissionQueuePosition } = workspace;
  const { sleep } = workspace;
  const waits = status === 'pending' && admissionReason !== undefined;
  return {
    type: 'workspace.status',
    topic: workspaceTopic(workspaceId),
    version,
    data: {
      ...{ workspaceId, status, errorMessage },
      ...(sleep ? { sleepPhase: sleep.phase } : {}),
      ...(waits ? { admissionReason, admissionQueuePosition } : {}),
    },
  };
}

/** The events of a change of the table; most changes have none. */
export function eventsOf(before: Item | undefined, after: Item | undefined): readonly LiveEvent[] {
  if (!after || before?.version === after.version) return before ? [] : entryEvents(after);
  return changeEvents[String(after.entity)]?.(before, after) ?? [];
}

type Events = (before: Item | undefined, after: Item) => readonly LiveEvent[];

const changeEvents: Readonly<Record<string, Events>> = {
  workspace: (before, after) => workspaceEvents(before && Workspace.parse(before), Workspace.parse(after)),
  chat: (before, after) => chatEvents(before && Chat.parse(before), Chat.parse(after)),
  interaction: (before, after) =>
    interactionEvents(before && Interaction.parse(before), Interaction.parse(after)),
  prompt: (before, after) => promptEvents(before && Prompt.parse(before), Prompt.parse(after)),
  task: (_before, after) => [taskEvent(Task.parse(after))],
};

const workspaceEvents = (before: Workspace | undefined, after: Workspace): readonly LiveEvent[] => [
  workspaceEvent(after),
  ...evictionEvents(before, after),
  ...wakeEvents(before, after),
];

/** The events of items that are never changed. */
function entryEvents(after: Item | undefined): readonly LiveEvent[] {
  if (after?.entity === 'message') return [messageEvent(Message.parse(after))];
  if (after?.entity !== 'boot-log') return [];
  const { workspaceId, entryId, generation, entry } = BootLogRecord.parse(after);
  const data = { workspaceId, entryId, generation, entry };
  return [{ type: 'workspace.boot_log', topic: workspaceTopic(workspaceId), data }];
}

/** None for a new prompt: its message is an event. */
function promptEvents(before: Prompt | undefined, after: Prompt): readonly LiveEvent[] {
  const data = promptData(after);
  if (!before || isDeepStrictEqual(promptData(before), data)) return [];
  return [{ type: 'prompt.updated', topic: chatTopic(after.chatId), version: after.version, data }];
}

/** Clients see one state until the prompt is delivered or has failed. */
const onItsWay: readonly DeliveryState[] = ['queued', 'delivering', 'retry_wait'];

function promptData(prompt: Prompt) {
  const { chatId: sessionId, deliveryId, promptMessageId: messageId, terminalReason, lastError } = prompt;
  const state = shownState(prompt);
  const shown = onItsWay.includes(state) ? 'queued' : state;
  return { sessionId, deliveryId, messageId, state: shown, reason: terminalReason ?? lastError };
}

/** None for an attempt to deliver its answer. */
function interactionEvents(before: Interaction | undefined, after: Interaction): readonly LiveEvent[] {
  const { chatId: sessionId, interactionId, kind, state, version } = after;
  if (before?.state === state && before.completedAt === after.completedAt) return [];
  const data = { sessionId, interactionId, kind, state };
  return [{ type: 'interaction.updated', topic: chatTopic(sessionId), version, data }];
}

function taskEvent({ taskId, projectId, status, executionStep, version }: Task): LiveEvent {
  const data = { taskId, status, executionStep };
  return { type: 'task.updated', topic: projectTopic(projectId), version, data };
}

/** The sign-in session that this change has ended: signed out or expired. */
export function endedSession(before: Item | undefined, after: Item | undefined): Session | undefined {
  if (before?.entity !== 'session' || after !== undefined) return undefined;
  return Session.parse(before);
}

/**
 * The membership that this change has ended: removed, suspended, or deleted with the project.
 */
export function revokedMember(before: Item | undefined, after: Item | undefined): Member | undefined {
  if (before?.entity !== 'member' || before.status !== 'active' || after?.status === 'active')
    return undefined;
  return Member.parse(before);
}
