import { ended } from '../endings/endings.js';
import { noSleep, noWaitingStep } from './change-workspace.js';
import type { Workspace } from './workspace.js';

interface Failure {
  readonly errorMessage: string;
  readonly kind?: 'errored' | 'node_lost';
  readonly now: Date;
}

/**
 * What becomes of a generation that failed: it is errored. One that was to wake its workspace
 * sleeps or is evicted again, and its snapshot stays. Part of a change of the workspace.
 */
export function failedGeneration(
  { wake, eviction }: Pick<Workspace, 'wake' | 'eviction'>,
  move: 'fail' | 'lose',
  { errorMessage, kind = 'errored', now }: Failure,
) {
  const nothingWaits = { ...noWaitingStep, ...noSleep };
  if (!wake)
    return {
      move,
      to: 'errored',
      set: { ...nothingWaits, errorMessage, endedBecause: ended({ kind, text: errorMessage }, now) },
      when: { absent: ['wake'] },
    } as const;
  const failed = { attempts: wake.attempt, failedAt: now.toISOString(), reason: errorMessage };
  return {
    move: 'notWoken',
    to: eviction ? 'evicted' : 'sleeping',
    set: { ...nothingWaits, wake: null, wakeFailure: failed },
    when: { present: ['wake'] },
  } as const;
}
