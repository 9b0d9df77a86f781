import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { highWaterBytes, lowWaterBytes, type TerminalServerMessage } from '../../../protocol/terminal.js';
import { FairScheduler } from './output-throttle.js';
import type { Pty, PtyExit } from './pty.js';
import { Terminal } from './terminal.js';
import type { ViewerSocket } from './viewer.js';

const identity = { sessionId: 's1', userId: 'U', workspaceId: 'W', workingDirectory: '/workspaces/x' };

class FakePty implements Pty {
  paused = false;
  killed = false;
  data: (bytes: Uint8Array) => void = () => undefined;
  exit: (exit: PtyExit) => void = () => undefined;
  onData(listener: (bytes: Uint8Array) => void) {
    this.data = listener;
  }
  onExit(listener: (exit: PtyExit) => void) {
    this.exit = listener;
  }
  write() {}
  resize() {}
  pause() {
    this.paused = true;
  }
  resume() {
    this.paused = false;
  }
  kill() {
    this.killed = true;
    this.exit({ exitCode: null, signal: 1 });
  }
}

class FakeSocket implements ViewerSocket {
  bufferedBytes = 0;
  messages: TerminalServerMessage[] = [];
  received = Buffer.alloc(0);
  next: number | null = null;
  sendMessage(message: TerminalServerMessage) {
    this.messages.push(message);
    if (message.type === 'session_reattached') this.next = message.data.offset;
  }
  sendOutput(_: string, offset: number, bytes: Uint8Array) {
    if (this.next !== null) expect(offset).toBe(this.next);
    this.next = offset + bytes.length;
    this.received = Buffer.concat([this.received, bytes]);
  }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function open() {
  const pty = new FakePty();
  return { pty, terminal: new Terminal(identity, pty, null, new FairScheduler()) };
}

it('sends every byte to every viewer, whenever it joins, leaves or acknowledges', () => {
  vi.useFakeTimers();
  const step = fc.oneof(
    fc.record({ do: fc.constant('output' as const), size: fc.integer({ min: 1, max: 40_000 }) }),
    fc.record({ do: fc.constant('ack' as const) }),
    fc.record({ do: fc.constant('drop' as const) }),
    fc.record({ do: fc.constant('tick' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { pty, terminal } = open();
      const socket = new FakeSocket();
      let view = socket;
      let written = Buffer.alloc(0);
      let seen = Buffer.alloc(0);
      terminal.attach(view, 0);
      for (const [index, action] of steps.entries()) {
        if (action.do === 'output' && !pty.paused) {
          const bytes = Buffer.alloc(action.size, index % 251);
          written = Buffer.concat([written, bytes]);
          pty.data(bytes);
        }
        if (action.do === 'tick') vi.advanceTimersByTime(10);
        if (action.do === 'ack') terminal.acknowledge(view, view.next ?? 0);
        if (action.do === 'drop') {
          terminal.detach(view);
          seen = Buffer.concat([seen, view.received]);
          view = new FakeSocket();
          expect(terminal.attach(view, seen.length)).toEqual({ offset: seen.length, lost: 0 });
        }
      }
      // Whoever acknowledges gets the rest, however much there is of it.
      for (let turn = 0; turn < 10; turn++) {
        vi.advanceTimersByTime(10);
        terminal.acknowledge(view, view.next ?? 0);
      }
      seen = Buffer.concat([seen, view.received]);

      expect(seen.equals(written)).toBe(true);
    }),
    { numRuns: 50 },
  );
  vi.useRealTimers();
});

it('pauses the shell beyond the high water mark and resumes it below the low one', async () => {
  const { pty, terminal } = open();
  const socket = new FakeSocket();
  terminal.attach(socket, null);
  terminal.acknowledge(socket, 0);

  pty.data(Buffer.alloc(highWaterBytes + 1));
  expect(pty.paused).toBe(true);

  await nextTurn();
  const low = highWaterBytes + 1 - lowWaterBytes;
  terminal.acknowledge(socket, low);
  expect(pty.paused).toBe(true);

  terminal.acknowledge(socket, low + 1);
  expect(pty.paused).toBe(false);
});

it("limits a viewer that never acknowledges by its socket's buffer", async () => {
  const { pty, terminal } = open();
  const socket = new FakeSocket();
  terminal.attach(socket, null);
  socket.bufferedBytes = 200_000;

  pty.data(Buffer.alloc(10));
  await nextTurn();
  expect(pty.paused).toBe(true);
  expect(socket.received).toHaveLength(0);

  socket.bufferedBytes = 0;
  terminal.drained(socket);
  expect(pty.paused).toBe(false);
  await expect.poll(() => socket.received.length).toBe(10);
});

it('waits a minute for a viewer that lost its network, then continues', () => {
  vi.useFakeTimers();
  try {
    const { pty, terminal } = open();
    const socket = new FakeSocket();
    terminal.attach(socket, null);
    terminal.acknowledge(socket, 0);
    terminal.detach(socket);
    pty.data(Buffer.alloc(highWaterBytes + 10));

    expect(pty.paused).toBe(true);
    vi.advanceTimersByTime(60_000);

    expect(pty.paused).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

it('waits for a viewer that left before its first acknowledgement, and not for one that never acknowledges', () => {
  vi.useFakeTimers();
  try {
    for (const watchedMs of [500, 2_000]) {
      const { pty, terminal } = open();
      const socket = new FakeSocket();
      terminal.attach(socket, null);
      pty.data(Buffer.from('prompt'));
      vi.advanceTimersByTime(watchedMs);
      terminal.detach(socket);
      pty.data(Buffer.alloc(highWaterBytes + 10));

      expect(pty.paused).toBe(watchedMs === 500);
    }
  } finally {
    vi.useRealTimers();
  }
});

it('sends everything to a viewer that never acknowledges, after one second', () => {
  vi.useFakeTimers();
  try {
    const { pty, terminal } = open();
    pty.data(Buffer.alloc(250_000));
    const socket = new FakeSocket();
    terminal.attach(socket, null);
    vi.advanceTimersByTime(10);
    expect(socket.received.length).toBeLessThan(highWaterBytes + 66_000);
    vi.advanceTimersByTime(1_000);

    expect(socket.received).toHaveLength(250_000);
    expect(pty.paused).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

describe('two viewers of one terminal', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function watchedByTwo() {
    const { pty, terminal } = open();
    const [fast, slow] = [new FakeSocket(), new FakeSocket()];
    for (const socket of [fast, slow]) {
      terminal.attach(socket, 0);
      terminal.acknowledge(socket, 0);
    }
    const write = (size: number) => {
      pty.data(Buffer.alloc(size));
      vi.advanceTimersByTime(5);
      terminal.acknowledge(fast, fast.next ?? 0);
    };
    return { pty, terminal, fast, slow, write };
  }

  it('wait for each other for a second, and lose nothing while they do', () => {
    const { pty, terminal, slow, write } = watchedByTwo();
    write(170_000);
    expect(pty.paused).toBe(true);

    vi.advanceTimersByTime(900);
    terminal.acknowledge(slow, 170_000);
    expect(pty.paused).toBe(false);
    vi.advanceTimersByTime(5_000);

    write(50_000);
    terminal.acknowledge(slow, 220_000);
    expect(slow.received).toHaveLength(220_000);
    expect(slow.messages).toEqual([]);
  });

  it('continue after a second: the slow viewer learns what it lost, and stays bounded', () => {
    const { pty, fast, slow, write } = watchedByTwo();
    write(170_000);
    vi.advanceTimersByTime(1_000);
    for (let round = 0; round < 20; round++) {
      expect(pty.paused).toBe(false);
      write(90_000);
    }
    expect(fast.received).toHaveLength(1_970_000);
    expect(fast.messages).toEqual([]);
    // Not more than the window, however much is written.
    expect(slow.received.length).toBeLessThanOrEqual(highWaterBytes + 65_536);
  });

  it('both count again when the slow one has caught up', () => {
    const { pty, terminal, slow, write } = watchedByTwo();
    write(170_000);
    vi.advanceTimersByTime(1_000);
    for (let round = 0; round < 5; round++) write(90_000);
    for (let round = 0; round < 20; round++) {
      terminal.acknowledge(slow, slow.next ?? 0);
      vi.advanceTimersByTime(5);
    }

    expect(slow.next).toBe(620_000);
    const lost = slow.messages.map((message) => message.type === 'session_reattached' && message.data.lost);
    expect(lost).toEqual([620_000 - slow.received.length]);
    write(highWaterBytes + 1);
    expect(pty.paused).toBe(true);
  });

  it('count when only slow viewers are left', () => {
    const { pty, terminal, fast, write } = watchedByTwo();
    write(170_000);
    vi.advanceTimersByTime(1_000);
    expect(pty.paused).toBe(false);

    terminal.detach(fast);
    expect(pty.paused).toBe(true);
  });
});

it('reports lost bytes that the ring no longer holds', () => {
  const { pty, terminal } = open();
  pty.data(Buffer.alloc(300_000));

  expect(terminal.attach(new FakeSocket(), 1_000)).toEqual({
    offset: 300_000 - 262_144,
    lost: 300_000 - 262_144 - 1_000,
  });
});

it('reports a new name to every viewer', () => {
  const { terminal } = open();
  const sockets = [new FakeSocket(), new FakeSocket()];
  for (const socket of sockets) terminal.attach(socket, null);

  terminal.rename('tests');

  const message = { type: 'session_renamed', sessionId: 's1', data: { name: 'tests' } };
  expect(sockets.map(({ messages }) => messages)).toEqual([[message], [message]]);
  expect(terminal.summary().name).toBe('tests');
});

it('reports the end after the last byte, and keeps the output for later viewers', () => {
  const { pty, terminal } = open();
  const socket = new FakeSocket();
  terminal.attach(socket, null);

  pty.data(Buffer.from('bye'));
  pty.exit({ exitCode: 3, signal: null });

  expect(socket.received.toString()).toBe('bye');
  expect(socket.messages).toEqual([
    { type: 'session_closed', sessionId: 's1', data: { reason: 'process_exit', exitCode: 3, signal: null } },
  ]);
  expect(terminal.summary()).toMatchObject({ status: 'exited', exitCode: 3 });
});

it('has no viewers after its end was reported', () => {
  const { pty, terminal } = open();
  terminal.attach(new FakeSocket(), null);
  expect(terminal.orphanedAt).toBeNull();

  pty.exit({ exitCode: 0, signal: null });

  expect(terminal.orphanedAt).not.toBeNull();
});

it('reports an end that a user requested', async () => {
  const { terminal } = open();
  const socket = new FakeSocket();
  terminal.attach(socket, null);

  await terminal.close();

  expect(socket.messages).toMatchObject([{ data: { reason: 'user_requested', signal: 1 } }]);
});
