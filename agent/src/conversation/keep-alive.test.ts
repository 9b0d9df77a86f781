import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { keepAlive } from './keep-alive.js';

const times = { pingMs: 30_000, pongMs: 10_000 };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

class StubSocket extends EventEmitter {
  pings = 0;
  isTerminated = false;
  answers = true;

  ping(): void {
    this.pings += 1;
    if (this.answers) this.emit('pong');
  }

  terminate(): void {
    this.isTerminated = true;
    this.emit('close');
  }
}

function start(): StubSocket {
  const socket = new StubSocket();
  // No more of a socket is used.
  keepAlive(socket as unknown as WebSocket, times);
  return socket;
}

it('pings a silent socket, and keeps one that answers', () => {
  const socket = start();

  vi.advanceTimersByTime(10 * 60_000);

  expect(socket.pings).toBe(20);
  expect(socket.isTerminated).toBe(false);
});

it('is not affected by changes of the clock', () => {
  const socket = start();

  vi.setSystemTime(Date.now() + 86_400_000);
  vi.advanceTimersByTime(60_000);

  expect(socket.isTerminated).toBe(false);
});

it('does not ping a socket that sends messages', () => {
  const socket = start();
  for (let second = 0; second < 120; second += 5) {
    socket.emit('message');
    vi.advanceTimersByTime(5_000);
  }

  expect(socket.pings).toBe(0);
});

it('ends a socket that does not answer', () => {
  const socket = start();
  socket.answers = false;

  vi.advanceTimersByTime(50_000);
  const pings = socket.pings;
  vi.advanceTimersByTime(10 * 60_000);

  expect(socket.isTerminated).toBe(true);
  expect(socket.pings).toBe(pings);
});
