import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import type { LogEntry } from './log-ring.js';
import { LogStream } from './log-stream.js';

/** As much of a socket as a stream uses; its reader is as slow as the test wants. */
class SlowSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly frames: { readonly type: string; readonly message?: string; readonly entry?: LogEntry }[] = [];
  bufferedAmount = 0;
  isTerminated = false;
  isWritable = true;

  send(text: string): void {
    this.frames.push(JSON.parse(text));
  }

  ping(_data: unknown, _mask: unknown, done: () => void): void {
    if (this.isWritable) done();
  }

  terminate(): void {
    this.isTerminated = true;
    this.emit('close');
  }
}

const times = { pingIntervalMs: 30_000, pingWriteTimeoutMs: 10_000, pongTimeoutMs: 90_000 };
const entry = (message: string): LogEntry => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  level: 'info',
  source: 'agent',
  message,
});

function open() {
  const socket = new SlowSocket();
  // Only what the class above has is used.
  return { socket, stream: new LogStream(socket as unknown as WebSocket, times) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('skips entries while the client reads too slowly, and sends their number', () => {
  const { socket, stream } = open();

  stream.send(entry('one'));
  socket.bufferedAmount = 2 ** 21;
  for (let n = 0; n < 1_000; n += 1) stream.send(entry('lost'));
  socket.bufferedAmount = 0;
  stream.send(entry('two'));

  expect(socket.frames.map((frame) => frame.entry?.message ?? frame.message)).toEqual([
    'one',
    '1000 entries were skipped: the client reads too slowly',
    'two',
  ]);
});

it('stays open while pongs arrive, and closes after the pong timeout', () => {
  const { socket, stream } = open();

  for (let n = 0; n < 10; n += 1) {
    vi.advanceTimersByTime(60_000);
    socket.emit('pong');
  }
  expect(socket.isTerminated).toBe(false);
  vi.advanceTimersByTime(90_000);

  expect(socket.isTerminated).toBe(true);
  expect(stream.signal.aborted).toBe(true);
});

it('closes when a ping cannot be written in time', () => {
  const { socket } = open();
  socket.isWritable = false;

  vi.advanceTimersByTime(39_999);
  expect(socket.isTerminated).toBe(false);
  vi.advanceTimersByTime(1);

  expect(socket.isTerminated).toBe(true);
});
