import { expect, it } from 'vitest';
import { checkSleep, type SleepCycle } from '../../nemesis/sleep/sleep-history.js';

const slept: SleepCycle = {
  chat: 1,
  number: 1,
  faults: ['none'],
  outcome: 'slept',
  refusal: null,
  restore: { status: 'restored', missing: [] },
  isEqual: true,
  wasOnAnotherNode: false,
  sleepMs: 1,
  wakeMs: 1,
  detail: 'chat1-1',
};
const degraded = { status: 'degraded', missing: [{}] };
const unnamed = { status: 'degraded', missing: [] };
const rulesOf = (
  cycle: Partial<SleepCycle>,
  invocations: readonly string[] = ['one'],
  broken: string[] = [],
) =>
  checkSleep(
    {
      cycles: [{ ...slept, ...cycle }],
      accepted: ['one'],
      broken: broken.map((rule) => ({ rule, detail: '' })),
    },
    invocations,
  ).map(({ rule }) => rule);

it('accepts a sleep that keeps everything, and one that says what is missing', () => {
  expect(rulesOf({})).toEqual([]);
  expect(rulesOf({ isEqual: false, restore: degraded })).toEqual([]);
});

it.each([
  ['a difference that is not reported', { isEqual: false }, ['one'], [], ['work_lost']],
  ['a loss that is not named', { isEqual: false, restore: unnamed }, ['one'], [], ['loss_without_name']],
  ['a difference without a sleep', { isEqual: false, restore: null }, ['one'], [], ['work_lost']],
  ['a message that no agent received', {}, [], [], ['prompt_lost']],
  ['a message that an agent received twice', {}, ['one', 'one'], [], ['prompt_twice']],
  ['an end without a snapshot', {}, ['one'], ['without_snapshot'], ['without_snapshot']],
  ['a cycle that does not end', {}, ['one'], ['stuck'], ['stuck']],
] as const)('reports %s', (_, cycle, invocations, broken, rules) => {
  expect(rulesOf(cycle, invocations, [...broken])).toEqual(rules);
});
