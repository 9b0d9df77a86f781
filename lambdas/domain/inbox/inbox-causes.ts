import { Chat } from '../chats/chat.js';
import { Interaction } from '../interactions/interaction.js';
import { type DeliveryReason, Prompt } from '../prompts/prompt.js';
import { shownState } from '../prompts/prompt-state.js';
import { Snapshot } from '../snapshots/snapshot.js';
import { Task } from '../tasks/task.js';
import type { InboxItem } from './inbox-item.js';

type Row = Readonly<Record<string, unknown>>;

/** The record whose person has the item: a chat that must be read for it, or the row itself. */
type Owner = { readonly chatId: string } | { readonly chat: Chat } | { readonly task: Task };

interface Cause {
  readonly kind: InboxItem['kind'];
  readonly causeId: string;
  readonly owner: Owner;
  /** The message that starts the agent. */
  readonly isStart?: boolean;
}

interface Began extends Cause {
  readonly change: 'began';
  readonly reason: string;
  readonly at: string;
  readonly interactionId?: string;
  readonly deliveryId?: string;
  readonly sequence?: number;
}

interface Ended extends Cause {
  readonly change: 'ended';
  /** It ends only the item of this message. */
  readonly deliveryId?: string;
}

export type InboxChange = Began | Ended;

/**
 * What a change of the table means for the inbox of a person: something begins to wait for the
 * person, or waits no more. Most changes mean nothing.
 */
export function inboxChangeOf(before: Row | undefined, after: Row | undefined): InboxChange | undefined {
  return followed[String((after ?? before)?.entity)]?.(before, after);
}

type Follow = (before: Row | undefined, after: Row | undefined) => InboxChange | undefined;

const followed: Readonly<Record<string, Follow>> = {
  interaction: (before, after) => {
    const [was, is] = [before && Interaction.parse(before), after && Interaction.parse(after)];
    const { interactionId, chatId, kind, createdAt } = one(was, is);
    const cause = { kind: 'interaction', causeId: interactionId, owner: { chatId } } as const;
    const [waited, waits] = [was?.state === 'pending', is?.state === 'pending'];
    if (waits && !waited) return { change: 'began', ...cause, reason: kind, at: createdAt, interactionId };
    return waited && !waits ? { change: 'ended', ...cause } : undefined;
  },

  /** A question ends with its chat: nobody can answer it then. */
  chat: (before, after) => {
    const [was, is] = [before && Chat.parse(before), after && Chat.parse(after)];
    const chat = one(was, is);
    const cause = { kind: 'question', causeId: chat.chatId, owner: { chat } } as const;
    const [old, asked] = [questionOf(was), questionOf(is)];
    if (asked && asked.messageId !== old?.messageId)
      return { change: 'began', ...cause, reason: asked.category, at: asked.requestedAt };
    return old && !asked ? { change: 'ended', ...cause } : undefined;
  },

  /** The person's next message in the chat ends the item of the one before. */
  prompt: (before, after) => {
    const [was, is] = [before && Prompt.parse(before), after && Prompt.parse(after)];
    const { chatId, deliveryId, senderType, kind } = one(was, is);
    const isStart = kind === 'start';
    const cause = { kind: 'message', causeId: chatId, owner: { chatId }, isStart } as const;
    if (senderType !== 'human') return undefined;
    if (!was) return isStart ? undefined : { change: 'ended', ...cause };
    return troubleChange({ ...cause, deliveryId }, was, is);
  },

  snapshot: (before, after) => {
    const [was, is] = [before && Snapshot.parse(before), after && Snapshot.parse(after)];
    const { workspaceId, chatSessionId: chatId } = one(was, is);
    const cause = { kind: 'sleep', causeId: workspaceId, owner: { chatId } } as const;
    const [old, blocked] = [blockOf(was), blockOf(is)];
    if (blocked && blocked.decidedAt !== old?.decidedAt)
      return { change: 'began', ...cause, reason: blocked.blockedReason ?? 'blocked', at: blocked.decidedAt };
    return old && !blocked ? { change: 'ended', ...cause } : undefined;
  },

  /** Subtasks report to the agent of their parent, and who cancels a task knows that it ended. */
  task: (before, after) => {
    const [was, is] = [before && Task.parse(before), after && Task.parse(after)];
    const task = one(was, is);
    const cause = { kind: 'task', causeId: task.taskId, owner: { task } } as const;
    const [old, result] = [resultOf(was), resultOf(is)];
    if (result && result !== old)
      return { change: 'began', ...cause, reason: result, at: task.completedAt ?? task.updatedAt };
    return old && !result ? { change: 'ended', ...cause } : undefined;
  },
};

function troubleChange(
  cause: Cause & { readonly deliveryId: string },
  was: Prompt,
  is: Prompt | undefined,
): InboxChange | undefined {
  const [old, trouble] = [troubleOf(was), troubleOf(is)];
  if (is && trouble && trouble !== old)
    return { change: 'began', ...cause, reason: trouble, at: is.updatedAt, sequence: is.sequence };
  return old && !trouble ? { change: 'ended', ...cause } : undefined;
}

/** A change has at least one of both. */
function one<Record>(before: Record | undefined, after: Record | undefined): Record {
  const found = after ?? before;
  if (!found) throw new Error('A change without an item');
  return found;
}

const questionOf = (chat: Chat | undefined) =>
  chat?.status === 'active' || chat?.status === 'sleeping' ? chat.attention : undefined;

const troubles = ['failed', 'ambiguous', 'expired'] as const;
/** The person, or what replaced the message, did this. */
const intended: readonly (DeliveryReason | null)[] = ['superseded', 'shut_down', 'terminal_target'];

function troubleOf(prompt: Prompt | undefined) {
  if (!prompt || intended.includes(prompt.terminalReason)) return undefined;
  const state = shownState(prompt);
  return troubles.find((trouble) => trouble === state);
}

const blockOf = (snapshot: Snapshot | undefined) =>
  snapshot?.decision?.outcome === 'blocked' ? snapshot.decision : undefined;

const resultOf = (task: Task | undefined) =>
  task?.parentTaskId === null && (task.status === 'completed' || task.status === 'failed')
    ? task.status
    : undefined;
