import { Chat, chatKey } from '../chats/chat.js';
import { Interaction, interactionKey } from '../interactions/interaction.js';
import { Member, memberKey, ownershipOfferMs } from '../projects/member.js';
import { type DeliveryReason, Prompt, promptKey } from '../prompts/prompt.js';
import { shownState } from '../prompts/prompt-state.js';
import type { Key } from '../records/changes.js';
import type { Conditions } from '../records/conditions.js';
import { Snapshot, snapshotKey } from '../snapshots/snapshot.js';
import { Task, taskKey } from '../tasks/task.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import type { InboxItem } from './inbox-item.js';

type Row = Readonly<Record<string, unknown>>;

/** The record whose person has the item: a chat that must be read for it, or the row itself. */
type Owner =
  | { readonly chatId: string }
  | { readonly chat: Chat }
  | { readonly task: Task }
  | { readonly member: Member }
  | { readonly workspace: Workspace };

interface Cause {
  readonly kind: InboxItem['kind'];
  readonly causeId: string;
  readonly owner: Owner;
  /** The message that starts the agent. */
  readonly isStart?: boolean;
}

/** A condition that holds as long as the cause waits. */
export interface StillWaits {
  readonly check: Key;
  readonly when: Conditions;
}

export interface Began extends Cause {
  readonly change: 'began';
  readonly reason: string;
  readonly at: string;
  readonly while: readonly StillWaits[];
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
 * person, or waits no more. Most changes mean nothing. A row by itself is a change from nothing:
 * what waits in it.
 */
export function inboxChangesOf(before: Row | undefined, after: Row | undefined): readonly InboxChange[] {
  const row = after ?? before;
  const entity = String(row?.entity);
  const changes = after
    ? (changed[entity]?.(before, after) ?? [])
    : before
      ? [removed[entity]?.(before)]
      : [];
  return changes.filter((change) => change !== undefined);
}

/** The cause that waits in a row. */
export const causeIn = (row: Row): Began | undefined =>
  inboxChangesOf(undefined, row).find((change) => change.change === 'began');

type Changes = readonly (InboxChange | undefined)[];

const changed: Readonly<Record<string, (before: Row | undefined, after: Row) => Changes>> = {
  interaction: (before, after) => [
    interactionChange(before && Interaction.parse(before), Interaction.parse(after)),
  ],
  chat: (before, after) => chatChanges(before && Chat.parse(before), Chat.parse(after)),
  prompt: (before, after) => [promptChange(before && Prompt.parse(before), Prompt.parse(after))],
  snapshot: (before, after) => [snapshotChange(before && Snapshot.parse(before), Snapshot.parse(after))],
  task: (before, after) => [taskChange(before && Task.parse(before), Task.parse(after))],
  member: (before, after) => [ownershipChange(before && Member.parse(before), Member.parse(after))],
  workspace: (before, after) => [workspaceChange(before && Workspace.parse(before), Workspace.parse(after))],
};

/** Only these rows are deleted while something in them can wait. */
const removed: Readonly<Record<string, (before: Row) => InboxChange>> = {
  snapshot: (before) => ({ change: 'ended', ...ofSnapshot(Snapshot.parse(before)) }),
  task: (before) => ({ change: 'ended', ...ofTask(Task.parse(before)) }),
};

function interactionChange(was: Interaction | undefined, is: Interaction): InboxChange | undefined {
  const { interactionId, chatId, kind: reason, createdAt: at } = is;
  const cause = { kind: 'interaction', causeId: interactionId, owner: { chatId } } as const;
  const [waited, waits] = [was?.state === 'pending', is.state === 'pending'];
  const check = interactionKey(chatId, interactionId);
  if (waits && !waited)
    return {
      ...{ change: 'began', ...cause, reason, at, interactionId },
      while: [{ check, when: { equals: { state: 'pending' } } }],
    };
  return waited && !waits ? { change: 'ended', ...cause } : undefined;
}

/** Questions and messages end with their chat: the person can do nothing about them then. */
function chatChanges(was: Chat | undefined, is: Chat): Changes {
  const { chatId: causeId } = is;
  const hasEnded = was !== undefined && isOpen(was) && !isOpen(is);
  const message = { kind: 'message', causeId, owner: { chat: is } } as const;
  return [questionChange(was, is), hasEnded ? { change: 'ended', ...message } : undefined];
}

function questionChange(was: Chat | undefined, chat: Chat): InboxChange | undefined {
  const cause = { kind: 'question', causeId: chat.chatId, owner: { chat } } as const;
  const [old, asked] = [was && questionOf(was), questionOf(chat)];
  if (!asked || asked.messageId === old?.messageId)
    return old && !asked ? { change: 'ended', ...cause } : undefined;
  const { messageId, category: reason, requestedAt: at } = asked;
  const { check, when } = whileOpen(chat.chatId);
  return {
    ...{ change: 'began', ...cause, reason, at },
    while: [{ check, when: { ...when, equals: { 'attention.messageId': messageId } } }],
  };
}

/** The person's next message in the chat ends the item of the one before. */
function promptChange(was: Prompt | undefined, is: Prompt): InboxChange | undefined {
  const { chatId, deliveryId, senderType, kind } = is;
  const isStart = kind === 'start';
  const cause = { kind: 'message', causeId: chatId, owner: { chatId }, isStart } as const;
  if (senderType !== 'human') return undefined;
  const [old, trouble] = [was && troubleOf(was), troubleOf(is)];
  if (trouble && trouble !== old) return { ...cause, ...troubled(is, trouble) };
  if (!was && !isStart) return { change: 'ended', ...cause };
  return old && !trouble ? { change: 'ended', ...cause, deliveryId } : undefined;
}

function troubled(prompt: Prompt, reason: string) {
  const { chatId, deliveryId, deliveryState, receiptState, updatedAt: at, sequence } = prompt;
  const check = promptKey(chatId, deliveryId);
  const equals = { deliveryState, ...(receiptState === null ? {} : { receiptState }) };
  return {
    ...({ change: 'began', reason, at, deliveryId, sequence } as const),
    while: [{ check, when: { equals } }, whileOpen(chatId)],
  };
}

function snapshotChange(was: Snapshot | undefined, is: Snapshot): InboxChange | undefined {
  const cause = ofSnapshot(is);
  const [old, blocked] = [was && blockOf(was), blockOf(is)];
  if (!blocked || blocked.decidedAt === old?.decidedAt)
    return old && !blocked ? { change: 'ended', ...cause } : undefined;
  const { blockedReason, decidedAt: at } = blocked;
  const equals = { 'decision.outcome': 'blocked', 'decision.decidedAt': at };
  return {
    ...{ change: 'began', ...cause, reason: blockedReason ?? 'blocked', at },
    while: [{ check: snapshotKey(is.workspaceId), when: { equals } }],
  };
}

const ofSnapshot = ({ workspaceId: causeId, chatSessionId: chatId }: Snapshot) =>
  ({ kind: 'sleep', causeId, owner: { chatId } }) as const;

/** Subtasks report to the agent of their parent, and who cancels a task knows that it ended. */
function taskChange(was: Task | undefined, is: Task): InboxChange | undefined {
  const cause = ofTask(is);
  const [old, result] = [was && resultOf(was), resultOf(is)];
  if (!result || result === old) return old && !result ? { change: 'ended', ...cause } : undefined;
  const { projectId, taskId, completedAt, updatedAt } = is;
  return {
    ...{ change: 'began', ...cause, reason: result, at: completedAt ?? updatedAt },
    while: [{ check: taskKey(projectId, taskId), when: { equals: { status: result } } }],
  };
}

const ofTask = (task: Task) => ({ kind: 'task', causeId: task.taskId, owner: { task } }) as const;

/**
 * Nothing restores an evicted workspace whose agents had returned to their person. A workspace
 * whose recovery has begun stays evicted for a moment: only the way into the state is a beginning.
 */
function workspaceChange(was: Workspace | undefined, workspace: Workspace): InboxChange | undefined {
  const { workspaceId, eviction } = workspace;
  const cause = { kind: 'eviction', causeId: workspaceId, owner: { workspace } } as const;
  const isEvicted = workspace.status === 'evicted';
  if (!isEvicted || !eviction || was?.status === 'evicted' || workspace.recovery)
    return was?.status === 'evicted' && !isEvicted ? { change: 'ended', ...cause } : undefined;
  const equals = { status: 'evicted', 'eviction.at': eviction.at };
  return {
    ...{ change: 'began', ...cause, reason: eviction.reason, at: workspace.statusChangedAt },
    while: [{ check: workspaceKey(workspaceId), when: { equals, absent: ['recovery'] } }],
  };
}

/** An offer ends when the member or the owner ends it, and is void with another owner. */
function ownershipChange(was: Member | undefined, is: Member): InboxChange | undefined {
  const { projectId, userId, ownershipOffer: offer } = is;
  const cause = { kind: 'ownership', causeId: projectId, owner: { member: is } } as const;
  const old = was?.ownershipOffer;
  if (!offer || offer.expiresAt === old?.expiresAt)
    return old && !offer ? { change: 'ended', ...cause } : undefined;
  const { by, byVersion, expiresAt } = offer;
  return {
    ...{ change: 'began', ...cause, reason: 'offered' },
    at: new Date(Date.parse(expiresAt) - ownershipOfferMs).toISOString(),
    while: [
      {
        check: memberKey(projectId, userId),
        when: { equals: { status: 'active', 'ownershipOffer.expiresAt': expiresAt } },
      },
      {
        check: memberKey(projectId, by),
        when: { equals: { status: 'active', role: 'owner' }, absentOrBefore: { version: byVersion + 1 } },
      },
    ],
  };
}

const openStatuses: readonly Chat['status'][] = ['active', 'sleeping'];
const isOpen = ({ status }: Chat): boolean => openStatuses.includes(status);
const whileOpen = (chatId: string): StillWaits => ({
  check: chatKey(chatId),
  when: { oneOf: { status: openStatuses } },
});

const questionOf = (chat: Chat) => (isOpen(chat) ? chat.attention : undefined);

const troubles = ['failed', 'ambiguous', 'expired'] as const;
/** The person, or what replaced the message, did this. */
const intended: readonly (DeliveryReason | null)[] = ['superseded', 'shut_down', 'terminal_target'];

function troubleOf(prompt: Prompt) {
  if (intended.includes(prompt.terminalReason)) return undefined;
  const state = shownState(prompt);
  return troubles.find((trouble) => trouble === state);
}

const blockOf = ({ decision }: Snapshot) => (decision?.outcome === 'blocked' ? decision : undefined);

const resultOf = ({ parentTaskId, status }: Task) =>
  parentTaskId === null && (status === 'completed' || status === 'failed') ? status : undefined;
