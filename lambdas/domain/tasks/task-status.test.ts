import { describe, expect, it } from 'vitest';
import { canMove, executionSteps, isActive, isLater, taskStatuses } from './task-status.js';

/** The status table of docs/tasks.md. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  draft: ['ready', 'cancelled'],
  ready: ['queued', 'delegated', 'cancelled'],
  queued: ['delegated', 'failed', 'cancelled'],
  delegated: ['in_progress', 'failed', 'cancelled'],
  in_progress: ['sleeping', 'completed', 'failed', 'cancelled'],
  sleeping: ['in_progress', 'completed', 'failed', 'cancelled'],
  failed: ['ready', 'cancelled'],
  cancelled: ['ready'],
  completed: [],
};

describe('a task', () => {
  it.each(taskStatuses.flatMap((from) => taskStatuses.map((to) => [from, to] as const)))(
    'that is %s becomes %s only if the status table allows it',
    (from, to) => {
      expect(canMove(from, to)).toBe(allowed[from]?.includes(to));
    },
  );

  it('is active while queued, delegated, in progress or asleep', () => {
    expect(taskStatuses.filter(isActive)).toEqual(['queued', 'delegated', 'in_progress', 'sleeping']);
  });
});

describe('an execution', () => {
  it('never returns to an earlier step', () => {
    for (const [at, step] of executionSteps.entries()) {
      expect(executionSteps.filter((other) => isLater(other, step))).toEqual(executionSteps.slice(at + 1));
    }
  });

  it('can begin with any step', () => {
    for (const step of executionSteps) expect(isLater(step, null)).toBe(true);
  });
});
