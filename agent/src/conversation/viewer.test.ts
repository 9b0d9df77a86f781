import type { SessionNotification } from '@agentclientprotocol/sdk';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FrameBuffer } from './frame-buffer.js';
import { Viewer, type ViewerSocket } from './viewer.js';

const roomy = { frames: 10_000, bytes: 10_000_000 };
const sending = { frames: 4, bytes: 10_000, writeMs: 1_000 };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Keeps the frames that are sent to it; the test decides when they are written. */
class StubSocket implements ViewerSocket {
  readonly sent: string[] = [];
  closed: { readonly code: number; readonly reason: string } | null = null;
  private readonly waiting: (() => void)[] = [];

  get bufferedBytes(): number {
    return this.sent.slice(this.sent.length - this.waiting.length).join('').length;
  }

  send(frame: string, taken: () => void): void {
    this.sent.push(frame);
    this.waiting.push(taken);
  }

  close(code: number, reason: string): void {
    this.closed ??= { code, reason };
  }

  take(count = Number.POSITIVE_INFINITY): void {
    for (let index = 0; index < count && this.waiting.length > 0; index++) this.waiting.shift()?.();
  }
}

function chunk(text: string, messageId = 'm'): SessionNotification {
  const content = { type: 'text' as const, text };
  return { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', messageId, content } };
}

function watch(buffer: FrameBuffer, limits = sending) {
  const socket = new StubSocket();
  const state = (replayCount: number) => ({ type: 'state', replayCount });
  const viewer = new Viewer(buffer, socket, { limits, state, afterReplay: () => [] });
  return { socket, viewer };
}

/** Splits texts into characters, so that the joining of pieces does not matter. */
function atomsOf(frames: readonly string[]): string[] {
  return frames
    .map((frame) => JSON.parse(frame))
    .flatMap((frame) => {
      if (frame.id !== undefined) return [`frame ${frame.id}`];
      const update = frame.params?.update;
      if (!update) return [];
      return [...update.content.text].map((character) => `${update.messageId} ${character}`);
    });
}

type Step =
  | { readonly kind: 'text'; readonly text: string; readonly messageId: string }
  | { readonly kind: 'frame'; readonly isReplayed: boolean }
  | { readonly kind: 'attach' }
  | { readonly kind: 'pump' }
  | { readonly kind: 'take'; readonly count: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    text: fc.string({ minLength: 1, maxLength: 5 }),
    messageId: fc.constantFrom('a', 'b'),
  }),
  fc.record({ kind: fc.constant('frame' as const), isReplayed: fc.boolean() }),
  fc.constant({ kind: 'attach' as const }),
  fc.constant({ kind: 'pump' as const }),
  fc.record({ kind: fc.constant('take' as const), count: fc.integer({ min: 1, max: 6 }) }),
);

interface Watched {
  readonly socket: StubSocket;
  readonly viewer: Viewer;
  /** What it must be sent in the end. */
  readonly expected: string[];
}

/** Runs the steps; every viewer then knows what it should have got. */
function play(steps: readonly Step[], buffer: FrameBuffer): Watched[] {
  const kept: string[] = [];
  const viewers: Watched[] = [];
  let frames = 0;
  for (const step of steps) {
    if (step.kind === 'attach') viewers.push({ ...watch(buffer), expected: [...kept] });
    else if (step.kind === 'pump') for (const { viewer } of viewers) viewer.pump();
    else if (step.kind === 'take') for (const { socket } of viewers) socket.take(step.count);
    else if (step.kind === 'text') {
      buffer.addUpdate(chunk(step.text, step.messageId));
      const atoms = [...step.text].map((character) => `${step.messageId} ${character}`);
      kept.push(...atoms);
      for (const { expected } of viewers) expected.push(...atoms);
    } else {
      const id = frames++;
      buffer.addFrame({ id }, { isReplayed: step.isReplayed });
      if (step.isReplayed) kept.push(`frame ${id}`);
      for (const { expected } of viewers) expected.push(`frame ${id}`);
    }
  }
  return viewers;
}

it('sends each viewer every frame once and in order, at any speed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const viewers = play(steps, new FrameBuffer(roomy));

      for (const { viewer, socket, expected } of viewers) {
        for (let round = 0; round < 1_000; round++) {
          viewer.pump();
          socket.take();
        }
        expect(atomsOf(socket.sent)).toEqual(expected);
        expect(socket.closed).toBeNull();
      }
    }),
    { numRuns: 300 },
  );
});

it('closes a viewer that lacks evicted frames, and skips none before', () => {
  let cut = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
      const buffer = new FrameBuffer({ frames: 5, bytes: 10_000_000 });
      const viewers = play([{ kind: 'attach' }, ...steps], buffer);

      const [first] = viewers;
      if (!first) throw new Error('Nobody watched');
      for (let round = 0; round < 200; round++) {
        first.viewer.pump();
        first.socket.take();
      }
      const got = atomsOf(first.socket.sent);
      expect(got).toEqual(first.expected.slice(0, got.length));
      if (first.socket.closed) cut += 1;
      else expect(got).toEqual(first.expected);
    }),
    { numRuns: 300 },
  );
  expect(cut).toBeGreaterThan(0);
});

it('announces the length and the end of a replay', () => {
  const buffer = new FrameBuffer(roomy);
  buffer.addUpdate(chunk('one '));
  buffer.addUpdate(chunk('two'));
  buffer.addFrame({ id: 1 }, { isReplayed: false });
  buffer.addFrame({ id: 2 }, { isReplayed: true });

  const { socket, viewer } = watch(buffer, { ...sending, frames: 100 });
  buffer.addUpdate(chunk(' three'));
  viewer.pump();

  expect(socket.sent.map((frame) => JSON.parse(frame))).toMatchObject([
    { type: 'state', replayCount: 2 },
    { params: { update: { content: { text: 'one two' } } } },
    { id: 2 },
    { type: 'session_replay_complete' },
    { type: 'state', replayCount: 0 },
    { params: { update: { content: { text: ' three' } } } },
  ]);
});

it('keeps a viewer that got all of a frame larger than the buffer', () => {
  const buffer = new FrameBuffer({ frames: 100, bytes: 1_000 });
  const { socket, viewer } = watch(buffer);
  for (let index = 0; index < 5; index++) {
    buffer.addFrame({ id: index, text: 'x'.repeat(5_000) }, { isReplayed: true });
    viewer.pump();
    socket.take();
  }

  expect(atomsOf(socket.sent)).toEqual(['frame 0', 'frame 1', 'frame 2', 'frame 3', 'frame 4']);
  expect(socket.closed).toBeNull();
  expect(buffer.lostCount).toBe(4);
});

it('buffers no more than its limits for a viewer that does not read', () => {
  const buffer = new FrameBuffer({ frames: 50, bytes: 100_000 });
  const { socket, viewer } = watch(buffer);
  for (let index = 0; index < 10_000; index++) {
    buffer.addFrame({ id: index }, { isReplayed: true });
    viewer.pump();
  }

  expect(socket.sent.length).toBeLessThanOrEqual(sending.frames);
  expect(buffer.end - buffer.first).toBe(50);
});

it('closes a viewer whose socket is blocked for too long', () => {
  const buffer = new FrameBuffer(roomy);
  const { socket, viewer } = watch(buffer);
  socket.take();
  viewer.pump();
  buffer.addFrame({ id: 1 }, { isReplayed: true });
  viewer.pump();

  vi.advanceTimersByTime(sending.writeMs);

  expect(socket.closed).toEqual({ code: 1013, reason: 'too slow' });
});

it('keeps an idle viewer that has read everything', () => {
  const { socket, viewer } = watch(new FrameBuffer(roomy));
  viewer.pump();
  socket.take();

  vi.advanceTimersByTime(10 * sending.writeMs);

  expect(socket.closed).toBeNull();
});
