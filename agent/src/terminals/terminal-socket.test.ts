import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { terminalLimits } from '../../../protocol/terminal.js';
import { Log } from '../shared/log.js';
import { SingleTerminalSocket } from './single-terminal-socket.js';
import { TerminalSocket } from './terminal-socket.js';
import { Terminals } from './terminals.js';

const log = new Log({ level: 'error', format: 'json' }, () => undefined);
const owner = { workspaceId: 'W', userId: 'U' };
const noTabs = { opened() {}, renamed() {}, closed() {}, workspaceClosed() {} };

class Client extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  readonly send = vi.fn();
  readonly ping = vi.fn();
  readonly close = vi.fn();
  readonly terminate = vi.fn();
  isPaused = false;
  readonly pause = vi.fn(() => {
    this.isPaused = true;
  });
  readonly resume = vi.fn(() => {
    this.isPaused = false;
  });
  say = (message: object) => this.emit('message', Buffer.from(JSON.stringify(message)), false);
}

const kinds = {
  '/terminal/ws/multi': (socket: WebSocket, terminals: Terminals) =>
    new TerminalSocket({ socket, stream: new PassThrough() }, owner, terminals, log),
  '/terminal/ws': (socket: WebSocket, terminals: Terminals) =>
    new SingleTerminalSocket(socket, owner, terminals, log),
};

function connect(kind: keyof typeof kinds = '/terminal/ws/multi'): Client {
  const client = new Client();
  const openPty = async () => {
    throw new Error('no shells here');
  };
  // What the sockets use of the library's.
  kinds[kind](client as unknown as WebSocket, new Terminals(openPty, { orphanGraceMs: 0 }, log, noTabs));
  return client;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('ignores acknowledgements of an ended session', () => {
  const client = connect();

  for (let times = 0; times < 1_000; times++)
    client.say({ type: 'ack', sessionId: 'gone', data: { offset: 7 } });

  expect(client.send).not.toHaveBeenCalled();
});

it.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  '%s ends with a client that talks and does not read',
  (kind) => {
    const client = connect(kind);
    client.bufferedAmount = 512 * 1_024;
    client.say({ type: 'ping' });
    expect(client.terminate).not.toHaveBeenCalled();

    client.bufferedAmount = 2 * 1_024 * 1_024;
    client.send.mockClear();
    client.say({ type: 'ping' });

    expect(client.terminate).toHaveBeenCalledOnce();
    expect(client.send).not.toHaveBeenCalled();
  },
);

it.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  '%s ends with a client that is silent, and does not take a clock that is set for silence',
  (kind) => {
    const client = connect(kind);
    client.ping.mockImplementation(() => client.emit('pong'));
    vi.setSystemTime(Date.now() + 86_400_000);
    vi.advanceTimersByTime(10 * terminalLimits.pingIntervalMs);
    expect(client.ping).toHaveBeenCalledTimes(10);
    expect(client.terminate).not.toHaveBeenCalled();

    client.ping.mockImplementation(() => undefined);
    vi.advanceTimersByTime(terminalLimits.readTimeoutMs + 2 * terminalLimits.pingIntervalMs);
    expect(client.terminate).toHaveBeenCalled();
  },
);

it.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  '%s reads a client that sends too fast slower, and handles each message',
  (kind) => {
    const client = connect(kind);
    for (let count = 0; count < 750; count++) client.say({ type: 'ping' });
    expect(client.send).toHaveBeenCalledTimes(750);
    expect(client.isPaused).toBe(true);

    vi.advanceTimersByTime(990);
    expect(client.isPaused).toBe(true);
    vi.advanceTimersByTime(20);
    expect(client.isPaused).toBe(false);
    expect(client.close).not.toHaveBeenCalled();

    for (let count = 0; count < 10; count++) client.say({ type: 'ping' });
    expect(client.isPaused).toBe(true);
    client.emit('close');
    expect(vi.getTimerCount()).toBe(0);
  },
);
