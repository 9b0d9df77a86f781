import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { workspaceId } from '../../../test/support/agent-state.js';
import { type Answer, Life } from '../../../test/support/delivery-life.js';
import type { RideEnd } from './batch-request.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

/** A delivery with five messages a request, with which a turn's end is to be told. */
function start(answerTo: Life['controlPlane']['answerTo'] = () => 'ok') {
  const life = new Life();
  const ends: RideEnd[] = [];
  const idle = { activity: 'idle', restartCount: 0, projectId: 'P', agentSessionId: 'S' } as const;
  life.ride = { activity: idle, end: (how) => ends.push(how) };
  life.controlPlane.answerTo = answerTo;
  const deliver = async (messages: number) => {
    for (let index = 0; index < messages; index++) life.write();
    life.deliveries.wake(workspaceId, { now: true });
    await vi.advanceTimersByTimeAsync(500);
  };
  return { life, ends, deliver };
}

it('tells of a turn’s end with the last of its messages', async () => {
  const { life, deliver } = start();

  await deliver(7);

  expect(life.controlPlane.requests.map(({ ids, activity }) => [ids.length, activity])).toEqual([
    [5, undefined],
    [2, 'idle'],
  ]);
});

it('loses no message for what goes with it', async () => {
  const { life, ends, deliver } = start(({ activity }) => (activity ? 'invalid' : 'ok'));

  await deliver(2);

  expect(life.controlPlane.contents).toEqual(['1', '2']);
  expect(life.events).toEqual([]);
  expect(ends).toEqual(['refused']);
});

it.each([
  ['ok', 'taken'],
  ['old', 'left'],
  ['away', 'unanswered'],
  ['lost', 'unanswered'],
] satisfies [Answer, RideEnd][])('answered %s, says that what went with it was %s', async (answer, how) => {
  const { ends, deliver } = start(() => answer);

  await deliver(1);

  expect(ends).toEqual([how]);
});
