import { expect, it } from 'vitest';
import { type LiveEvent, LiveServerFrame, unpackFrame } from '../../../protocol/live.js';
import { framesOf, maxFrameBytes } from './push.js';

const workspaceId = '01JD0000000000000000000000';

const event = (version: number, errorMessage: string | null = null): LiveEvent => ({
  ...{ type: 'workspace.status', topic: `workspace:${workspaceId}`, version },
  data: { workspaceId, status: 'running', errorMessage },
});

it('sends one event as it is, and several events in one frame', () => {
  expect(framesOf([])).toEqual([]);
  expect(framesOf([event(1)])).toEqual([event(1)]);
  expect(framesOf([event(1), event(2)])).toEqual([{ type: 'events', events: [event(1), event(2)] }]);
});

it('splits events into frames within the limit, and keeps all of them in order', () => {
  const events = Array.from({ length: 40 }, (_, index) => event(index, 'é'.repeat(index * 100)));

  const frames = framesOf(events);

  expect(frames.length).toBeGreaterThan(1);
  for (const frame of frames)
    expect(Buffer.byteLength(JSON.stringify(frame))).toBeLessThanOrEqual(maxFrameBytes);
  expect(frames.flatMap((frame) => unpackFrame(LiveServerFrame.parse(frame)))).toEqual(events);
});

it('fills a frame to the last byte', () => {
  const [empty] = framesOf([event(1), event(1, '')]);
  const room = maxFrameBytes - Buffer.byteLength(JSON.stringify(empty)) - 1;

  expect(framesOf([event(1), event(1, 'x'.repeat(room))])).toHaveLength(1);
  expect(framesOf([event(1), event(1, 'x'.repeat(room + 1))])).toHaveLength(2);
});
