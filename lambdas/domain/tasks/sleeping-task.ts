import type { EndedBecause } from '../endings/ended-because.js';
import type { Write } from '../records/transact.js';
import { activeMove, fieldsChange } from './change-task.js';
import type { Task } from './task.js';
import { bySystem } from './task-events.js';

/** A task and the agent session that serves its chat. */
interface Talk {
  readonly task?: Task | undefined;
  readonly session: { readonly agentSessionId: string };
}

/** The conversation of a chat sleeps with it. Part of the transaction that changes the chat. */
export const taskSleeps = (talk: Talk, now: Date): readonly Write[] =>
  isTalkIn('in_progress', talk) ? activeMove(talk.task, { to: 'sleeping', actor: bySystem, now }) : [];

/** The same for an eviction, after which every task of the workspace says why it does not go on. */
export function taskEvicted(talk: Talk, endedBecause: EndedBecause, now: Date): readonly Write[] {
  const set = { endedBecause };
  if (isTalkIn('in_progress', talk))
    return activeMove(talk.task, { to: 'sleeping', set, actor: bySystem, now });
  return isOfSession(talk) && talk.task.status === 'in_progress' ? [fieldsChange(talk.task, set, now)] : [];
}

/** The conversation of a chat continues with it. */
export function taskWakes(talk: Talk, now: Date): readonly Write[] {
  const set = { endedBecause: null };
  if (isTalkIn('sleeping', talk))
    return activeMove(talk.task, { to: 'in_progress', set, actor: bySystem, now });
  return isOfSession(talk) && talk.task.endedBecause ? [fieldsChange(talk.task, set, now)] : [];
}

type TaskTalk = Talk & { readonly task: Task };

const isTalkIn = (status: Task['status'], talk: Talk): talk is TaskTalk =>
  isOfSession(talk) && talk.task.taskMode === 'conversation' && talk.task.status === status;

/** Not of a later run, which has another agent session. */
const isOfSession = (talk: Talk): talk is TaskTalk =>
  talk.task !== undefined && talk.task.agentSessionId === talk.session.agentSessionId;
