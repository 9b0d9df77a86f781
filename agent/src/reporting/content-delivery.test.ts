import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { workspaceId } from '../../../test/support/agent-state.js';
import { type Answer, DeliveryFixture } from '../../../test/support/delivery-fixture.js';
import { lostMark } from './message-contents.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

const long = (name: string) => `${name} ${'x'.repeat(102_400)}`;
const longs = ['one', 'three'].map(long);

function sentMessages(fixture: DeliveryFixture) {
  return (fixture.controlPlane.stored.get('chat') ?? []).map(({ content, whole }) => ({
    start: content.slice(0, 3),
    isWhole: whole !== undefined,
    mark: content.endsWith(lostMark),
  }));
}

it('uploads long content before its message, in order', async () => {
  const fixture = new DeliveryFixture();
  fixture.write('chat', long('one'));
  fixture.write('chat', 'two');
  await vi.advanceTimersByTimeAsync(10_000);

  expect(sentMessages(fixture)).toEqual([
    { start: 'one', isWhole: true, mark: false },
    { start: 'two', isWhole: false, mark: false },
  ]);
  expect([...fixture.controlPlane.objects.values()]).toEqual([long('one')]);
});

it('sends the message truncated when the upload fails, then the next ones', async () => {
  const fixture = new DeliveryFixture();
  fixture.controlPlane.storeIsAway = true;
  fixture.write('chat', long('one'));
  fixture.write('chat', 'two');
  await vi.advanceTimersByTimeAsync(60_000);

  expect(sentMessages(fixture)).toEqual([
    { start: 'one', isWhole: false, mark: true },
    { start: 'two', isWhole: false, mark: false },
  ]);
  expect(fixture.events.map(({ type }) => type)).toEqual(['messages.content_lost']);
});

it('uploads missing content again, and truncates after the last attempt', async () => {
  const fixture = new DeliveryFixture();
  let refusals = 2;
  fixture.controlPlane.answerTo = ({ messages }) =>
    messages.some(({ whole }) => whole) && refusals-- > 0 ? 'not_stored' : 'ok';
  fixture.write('chat', long('one'));
  await vi.advanceTimersByTimeAsync(60_000);
  refusals = 100;
  fixture.write('chat', long('two'));
  await vi.advanceTimersByTimeAsync(60_000);

  expect(sentMessages(fixture)).toEqual([
    { start: 'one', isWhole: true, mark: false },
    { start: 'two', isWhole: false, mark: true },
  ]);
});

const trouble = fc.oneof(
  fc.record({
    kind: fc.constant('answers' as const),
    answer: fc.constantFrom<Answer>('ok', 'lost', 'away', 'unauthorized', 'stale', 'not_stored'),
  }),
  fc.record({ kind: fc.constant('store' as const), isAway: fc.boolean() }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 5_000 }) }),
  fc.record({ kind: fc.constant('crash' as const) }),
);

it('delivers every long message whole or marked, over failures and restarts', async () => {
  let tokens = 1;
  await fc.assert(
    fc.asyncProperty(fc.array(trouble, { maxLength: 30 }), async (troubles) => {
      const fixture = new DeliveryFixture();
      fixture.controlPlane.latencyMs = 300;
      for (const content of [longs[0], 'two', longs[1]]) fixture.write('chat', content);
      for (const step of troubles) {
        if (step.kind === 'answers') fixture.controlPlane.answerTo = () => step.answer;
        else if (step.kind === 'store') fixture.controlPlane.storeIsAway = step.isAway;
        else if (step.kind === 'wait') await vi.advanceTimersByTimeAsync(step.ms);
        else fixture.crash();
      }
      fixture.controlPlane.answerTo = () => 'ok';
      fixture.state.renewToken(`token-${++tokens}`);
      await vi.advanceTimersByTimeAsync(200_000);

      expect(sentMessages(fixture).map(({ start }) => start)).toEqual(['one', 'two', 'thr']);
      const objects = [...fixture.controlPlane.objects.values()];
      for (const [index, at] of [0, 2].entries()) {
        const { isWhole, mark } = sentMessages(fixture)[at] ?? {};
        expect(mark).toBe(!isWhole);
        if (isWhole) expect(objects).toContain(longs[index]);
      }
      expect(fixture.outbox.count(workspaceId)).toBe(0);
      vi.clearAllTimers();
    }),
    { numRuns: 40 },
  );
});
