import type { Write } from '../records/transact.js';
import { activeMove } from './change-task.js';
import type { Task } from './task.js';
import { bySystem } from './task-events.js';

/** A conversation and the agent session that serves its chat. */
interface Talk {
  readonly task?: Task | undefined;
  readonly session: { readonly agentSessionId: string };
}

/** The conversation of a chat sleeps with it. Part of the transaction that changes the chat. */
export const taskSleeps = (talk: Talk, now: Date): readonly Write[] =>
  isTalkIn('in_progress', talk) ? activeMove(talk.task, { to: 'sleeping', actor: bySystem, now }) : [];

/** The conversation of a chat continues with it. */
export const taskWakes = (talk: Talk, now: Date): readonly Write[] =>
  isTalkIn('sleeping', talk) ? activeMove(talk.task, { to: 'in_progress', actor: bySystem, now }) : [];

/** Not of a later run, which has another agent session. */
const isTalkIn = (status: Task['status'], talk: Talk): talk is Talk & { readonly task: Task } =>
  talk.task?.taskMode === 'conversation' &&
  talk.task.status === status &&
  talk.task.agentSessionId === talk.session.agentSessionId;
