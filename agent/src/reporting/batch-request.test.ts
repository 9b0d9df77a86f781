import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { workspaceId } from '../../../test/support/agent-state.js';
import { type Answer, DeliveryFixture } from '../../../test/support/delivery-fixture.js';
import type { PiggybackResult } from './activity.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

/** A delivery with five messages a request, and a waiting report of the end of a turn. */
function start(answerTo: DeliveryFixture['controlPlane']['answerTo'] = () => 'ok') {
  const fixture = new DeliveryFixture();
  const ends: PiggybackResult[] = [];
  const idle = { activity: 'idle', restartCount: 0, projectId: 'P', agentSessionId: 'S' } as const;
  fixture.piggyback = { activity: idle, end: (how) => ends.push(how) };
  fixture.controlPlane.answerTo = answerTo;
  const deliver = async (messages: number) => {
    for (let index = 0; index < messages; index++) fixture.write();
    fixture.deliveries.wake(workspaceId, { now: true });
    await vi.advanceTimersByTimeAsync(500);
  };
  return { fixture, ends, deliver };
}

it('reports the end of a turn with the last of its messages', async () => {
  const { fixture, deliver } = start();

  await deliver(7);

  expect(fixture.controlPlane.requests.map(({ ids, activity }) => [ids.length, activity])).toEqual([
    [5, undefined],
    [2, 'idle'],
  ]);
});

it('sends the messages without a refused activity', async () => {
  const { fixture, ends, deliver } = start(({ activity }) => (activity ? 'invalid' : 'ok'));

  await deliver(2);

  expect(fixture.controlPlane.contents).toEqual(['1', '2']);
  expect(fixture.events).toEqual([]);
  expect(ends).toEqual(['refused']);
});

it.each([
  ['ok', 'taken'],
  ['old', 'left'],
  ['away', 'unanswered'],
  ['lost', 'unanswered'],
] satisfies [Answer, PiggybackResult][])('maps the answer %s to the result %s', async (answer, how) => {
  const { ends, deliver } = start(() => answer);

  await deliver(1);

  expect(ends).toEqual([how]);
});
