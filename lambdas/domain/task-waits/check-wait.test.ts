import { describe, expect, it } from 'vitest';
import { taskStatuses } from '../tasks/task-status.js';
import { decideWait, type Statuses } from './check-wait.js';

const wakeDeadline = '2026-11-21T12:00:00.000Z';
const before = new Date('2026-11-21T11:59:59.999Z');
const then = new Date(wakeDeadline);

describe.each([
  ['all', ['completed', 'failed'], 'condition_met'],
  ['all', ['completed', 'in_progress'], undefined],
  ['all', ['cancelled', null], 'condition_met'],
  ['all', ['queued', null], undefined],
  ['any', ['in_progress', 'failed'], 'condition_met'],
  ['any', ['in_progress', null], 'condition_met'],
  ['any', ['in_progress', 'queued'], undefined],
] as const)('a wait for %s of %j', (condition, statuses: Statuses, resolution) => {
  it(`ends with ${resolution} before its time`, () => {
    expect(decideWait({ condition, wakeDeadline }, statuses, before)).toBe(resolution);
  });

  it('has ended when its time has come', () => {
    const atDeadline = resolution ?? 'deadline_reached';
    expect(decideWait({ condition, wakeDeadline }, statuses, then)).toBe(atDeadline);
  });
});

it.each(taskStatuses)('has ended or not with a task that is %s', (status) => {
  const hasEnded = ['completed', 'failed', 'cancelled'].includes(status);

  expect(decideWait({ condition: 'any', wakeDeadline }, [status], before)).toBe(
    hasEnded ? 'condition_met' : undefined,
  );
});
