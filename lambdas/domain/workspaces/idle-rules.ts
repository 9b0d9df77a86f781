import type { Chat } from '../chats/chat.js';
import type { Workspace } from './workspace.js';
import { isUsable } from './workspace-status.js';

const minute = 60_000;

/** A workspace with a chat sleeps after this time without activity. */
export const sleepAfterMs = 15 * minute;
/** Without a chat it stops after this time, unless its project has another. */
export const defaultIdleTimeoutMs = 120 * minute;
/** The limits of that setting. */
export const shortestIdleTimeoutMs = 30 * minute;
export const longestIdleTimeoutMs = 24 * 60 * minute;
/** Each report of background work of a harness postpones the sleep to this time after it. */
const workLeaseMs = 5 * minute;
/** Background work postpones a sleep by this time at most. */
const longestWorkMs = 30 * minute;

/** Everything that decides when a workspace rests. */
export interface IdleRows {
  readonly workspace: Workspace;
  /** The open chats of its running agent sessions. */
  readonly chats: readonly Chat[];
  /** The setting of its project. */
  readonly idleTimeoutMs?: number | null | undefined;
}

export interface Rest {
  readonly kind: 'sleep' | 'stop';
  readonly lastActivityAt: Date;
  /** Undefined while a prompt waits. */
  readonly dueAt: Date | undefined;
}

/** When a workspace sleeps or stops for want of activity; undefined if it does not run. */
export function restOf({ workspace, chats, idleTimeoutMs }: IdleRows): Rest | undefined {
  if (!isAwake(workspace)) return undefined;
  const last = Math.max(lastUseMs(workspace), ...chats.map(lastChatMs));
  const kind = chats.length > 0 ? 'sleep' : 'stop';
  const idleMs = kind === 'sleep' ? sleepAfterMs : (idleTimeoutMs ?? defaultIdleTimeoutMs);
  const due = Math.max(keptAwakeMs(workspace), ...[last + idleMs, ...chats.map(workEndsMs(last + idleMs))]);
  const dueAt = chats.some(hasWaitingPrompt) ? undefined : new Date(due);
  return { kind, lastActivityAt: new Date(last), dueAt };
}

/** A node past its lifetime may end it, also while a prompt waits or its sleep fails. */
export function isAbandoned(rows: IdleRows, now: Date): boolean {
  const rest = restOf(rows);
  if (!rest) return false;
  const end = rest.lastActivityAt.getTime() + (rows.idleTimeoutMs ?? defaultIdleTimeoutMs);
  return Math.max(end, keptAwakeMs(rows.workspace)) <= now.getTime();
}

/** It does not rest before this time, whatever its chats and its project are. */
export function earliestRest(workspace: Workspace): Date {
  const idleMs = workspace.agentSessions ? sleepAfterMs : shortestIdleTimeoutMs;
  return new Date(Math.max(lastUseMs(workspace) + idleMs, keptAwakeMs(workspace)));
}

/** A person keeps it awake, or has used a terminal or a port of it. */
export function isInUse({ keptAwakeUntil, lastUsedAt }: Workspace, now: Date): boolean {
  const usedUntil = lastUsedAt === undefined ? 0 : ms(lastUsedAt) + sleepAfterMs;
  return Math.max(ms(keptAwakeUntil), usedUntil) > now.getTime();
}

/** It runs, and has not begun to sleep, wake or end. */
export const isAwake = ({ status, sleep, wake, deletion }: Workspace): boolean =>
  isUsable(status) && !sleep && !wake && !deletion;

const ms = (at: string | null | undefined): number => (at ? Date.parse(at) : 0);

const keptAwakeMs = ({ keptAwakeUntil }: Workspace): number => ms(keptAwakeUntil);

function lastUseMs({ createdAt, readyAt, statusChangedAt, lastUsedAt }: Workspace): number {
  return Math.max(...[createdAt, readyAt, statusChangedAt, lastUsedAt].map(ms));
}

function lastChatMs({ createdAt, lastMessageAt, activity }: Chat): number {
  return Math.max(ms(createdAt), ms(lastMessageAt), activity ? lastReportMs(activity) : 0);
}

/** A working agent reports every minute; an idle one is idle since its turn ended. */
function lastReportMs({ activity, activityAt, since = activityAt }: NonNullable<Chat['activity']>): number {
  return ms(activity === 'prompting' || activity === 'recovering' ? activityAt : since);
}

const workEndsMs =
  (idleAt: number) =>
  ({ activity }: Chat): number =>
    activity?.work ? Math.min(ms(activity.work.progressAt) + workLeaseMs, idleAt + longestWorkMs) : 0;

function hasWaitingPrompt({ queuedPrompts, deliveringId, unconfirmedId }: Chat): boolean {
  return queuedPrompts > 0 || deliveringId !== undefined || unconfirmedId !== undefined;
}
