import type { EndedBecause } from './ended-because.js';

export type Ending = Pick<EndedBecause, 'kind' | 'text'>;

/** Endings that need no figures. */
export const endings = {
  stopped: { kind: 'stopped_by_person', text: 'A person stopped it.' },
  putToSleep: { kind: 'stopped_by_person', text: 'A person put it to sleep.' },
  unused: { kind: 'idle', text: 'Nobody used it.' },
  taskCompleted: { kind: 'task_ended', text: 'Its task is completed.' },
  executionEnded: { kind: 'task_ended', text: 'The execution of its task has ended.' },
  memberLeft: { kind: 'membership_ended', text: 'Its owner is no member of the project any more.' },
} as const satisfies Readonly<Record<string, Ending>>;

export const ended = (ending: Ending, now: Date): EndedBecause => ({ ...ending, at: now.toISOString() });
