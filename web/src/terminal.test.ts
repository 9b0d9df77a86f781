import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeOutputFrame } from '../../protocol/terminal-frames.js';
import { ApiError } from './api-error.js';
import type { NodeAdvice } from './node-advice.js';
import { TerminalConnection, type TerminalStatus } from './terminal.js';
import type { TerminalTransport } from './terminal-transport.js';

class FakeSocket implements TerminalTransport {
  readyState = 0;
  onopen: TerminalTransport['onopen'] = null;
  onclose: TerminalTransport['onclose'] = null;
  onmessage: TerminalTransport['onmessage'] = null;
  readonly sent: unknown[] = [];
  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.sent.push(typeof data === 'string' ? JSON.parse(data) : data);
  }
  close(): void {
    this.readyState = 3;
  }
  opens(): void {
    this.readyState = 1;
    this.onopen?.(new Event('open'));
  }
  drops(): void {
    this.readyState = 3;
    // Only the reason is read; Node has no CloseEvent to make one of.
    this.onclose?.({ reason: '' } as CloseEvent);
  }
  receives(type: string, data: unknown = {}): void {
    const text = JSON.stringify({ type, sessionId: 'console', data });
    this.onmessage?.(new MessageEvent('message', { data: text }));
  }
  prints(offset: number, text: string): void {
    const frame = encodeOutputFrame('console', offset, new TextEncoder().encode(text));
    this.onmessage?.(new MessageEvent('message', { data: frame.buffer }));
  }
}

const size = { rows: 24, cols: 80 };
const create = { type: 'create_session', sessionId: 'console', data: { ...size, name: 'Console' } };

describe('a terminal connection', () => {
  let sockets: FakeSocket[];
  let urls: string[];
  let offered: (readonly string[])[];
  let statuses: TerminalStatus[];
  let screen: string;
  let refuse: ApiError | undefined;
  let tokens: number;
  let workspaceUrl: string;
  let advice: NodeAdvice;
  let connection: TerminalConnection;

  beforeEach(() => {
    vi.useFakeTimers();
    workspaceUrl = 'http://ws-x.localhost:8787';
    advice = { text: 'Not trusted', acceptUrl: 'https://192.0.2.7:8443/health' };
    [sockets, urls, offered, statuses, screen, refuse, tokens] = [[], [], [], [], '', undefined, 0];
    connection = new TerminalConnection({
      sessionId: 'console',
      screen: {
        size: () => size,
        write: (bytes, done) => {
          screen += new TextDecoder().decode(bytes);
          done();
        },
        note: (text) => {
          screen += `[${text}]`;
        },
        reset: () => {
          screen = '';
        },
      },
      getToken: async () => {
        if (refuse) throw refuse;
        tokens += 1;
        return { token: `t${tokens}`, expiresAt: 0, workspaceUrl };
      },
      openSocket: (url, protocols) => {
        urls.push(url);
        offered.push(protocols);
        const socket = new FakeSocket();
        sockets.push(socket);
        return socket;
      },
      report: (status) => statuses.push(status),
      advise: async () => advice,
    });
  });
  afterEach(() => {
    connection[Symbol.dispose]();
    vi.useRealTimers();
  });

  async function connected(): Promise<FakeSocket> {
    connection.start();
    await vi.advanceTimersByTimeAsync(0);
    const socket = sockets.at(-1) ?? new FakeSocket();
    socket.opens();
    return socket;
  }

  it('opens a shell, shows its output and acknowledges what is on the screen', async () => {
    const socket = await connected();
    socket.receives('session_created');
    socket.prints(0, 'hello');

    expect(urls).toEqual(['ws://ws-x.localhost:8787/terminal/ws/multi']);
    expect(offered).toEqual([['berth', 'berth.token.t1']]);
    expect(screen).toBe('hello');
    expect(socket.sent).toEqual([create, { type: 'ack', sessionId: 'console', data: { offset: 5 } }]);
    expect(statuses.at(-1)).toEqual({ kind: 'open' });
  });

  it('returns after a drop with a fresh token, from the byte where it was', async () => {
    const first = await connected();
    first.receives('session_created');
    first.prints(0, 'hello');
    first.drops();
    await vi.advanceTimersByTimeAsync(600);
    sockets[1]?.opens();
    sockets[1]?.receives('session_reattached', { offset: 5, lost: 0 });
    sockets[1]?.prints(5, ', world');

    expect(urls[1]).not.toContain('token');
    expect(offered[1]).toContain('berth.token.t2');
    expect(sockets[1]?.sent[0]).toEqual({
      type: 'reattach_session',
      sessionId: 'console',
      data: { ...size, offset: 5 },
    });
    expect(screen).toBe('hello, world');
  });

  it('passes the token in the address to an agent that refuses the subprotocol', async () => {
    connection.start();
    await vi.advanceTimersByTimeAsync(0);
    sockets[0]?.drops();
    await vi.advanceTimersByTimeAsync(600);

    expect(urls[1]).toBe('ws://ws-x.localhost:8787/terminal/ws/multi?token=t2');
    expect(offered[1]).toEqual([]);
  });

  describe('to a node whose certificate the browser does not trust', () => {
    const unopened = async () => {
      sockets.at(-1)?.drops();
      await vi.advanceTimersByTimeAsync(0);
    };

    beforeEach(async () => {
      workspaceUrl = 'https://192.0.2.7:8443';
      connection.start();
      await vi.advanceTimersByTimeAsync(0);
    });

    it('shows what to do after two sockets, and opens without a person once it is trusted', async () => {
      await unopened();
      await vi.advanceTimersByTimeAsync(600);
      await unopened();
      expect(statuses.at(-1)).toEqual({ kind: 'unreachable', advice });

      await vi.advanceTimersByTimeAsync(10_000);
      expect(statuses.at(-1)).toEqual({ kind: 'unreachable', advice });
      expect(sockets).toHaveLength(3);
      sockets[2]?.opens();
      sockets[2]?.receives('session_created');

      expect(statuses.at(-1)).toEqual({ kind: 'open' });
    });

    it('reconnects as ever to a node that it has reached before', async () => {
      sockets[0]?.opens();
      sockets[0]?.receives('session_created');
      await unopened();
      for (const waitMs of [600, 1_100, 2_100]) {
        await vi.advanceTimersByTimeAsync(waitMs);
        await unopened();
      }

      expect(sockets.length).toBeGreaterThan(3);
      expect(statuses.map(({ kind }) => kind)).not.toContain('unreachable');
    });

    it('asks nothing more once the page is left', async () => {
      await unopened();
      await vi.advanceTimersByTimeAsync(600);
      connection[Symbol.dispose]();
      await unopened();
      await vi.advanceTimersByTimeAsync(60_000);

      expect(sockets).toHaveLength(2);
    });
  });

  it('says what was lost while it was away', async () => {
    const socket = await connected();
    socket.prints(0, 'a');
    socket.receives('session_reattached', { offset: 11, lost: 10 });
    socket.prints(11, 'b');

    expect(screen).toMatch(/^a\[10 bytes .*\]b$/);
  });

  it('starts a new shell when the node no longer has the earlier one', async () => {
    const first = await connected();
    first.prints(0, 'a');
    first.drops();
    await vi.advanceTimersByTimeAsync(600);
    sockets[1]?.opens();
    sockets[1]?.receives('error', { error: 'session not found' });

    expect(sockets[1]?.sent.at(-1)).toEqual(create);
    expect(screen).toContain('new shell');
  });

  it('stays away after the shell has ended, until it is asked for another', async () => {
    const socket = await connected();
    socket.receives('session_created');
    socket.receives('session_closed', { reason: 'process_exit', exitCode: 3, signal: null });
    socket.drops();
    await vi.advanceTimersByTimeAsync(60_000);

    expect(statuses.at(-1)).toMatchObject({ kind: 'exited', exitCode: 3 });
    expect(sockets).toHaveLength(1);
    expect((await connected()).sent).toEqual([create]);
  });

  it('gives up where a token is refused, and tries again where that may help', async () => {
    refuse = new ApiError('Too many', { status: 429, code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 20 });
    connection.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(statuses.at(-1)).toEqual({ kind: 'reconnecting', inMs: 20_000, reason: 'Too many' });

    refuse = new ApiError('It is not running', { status: 409, code: 'CONFLICT' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(statuses.at(-1)).toEqual({ kind: 'failed', message: 'It is not running' });
    expect(sockets).toHaveLength(0);
  });

  it('sends nothing that is typed while it is away', async () => {
    const socket = await connected();
    connection.type(new TextEncoder().encode('early'));
    socket.receives('session_created');
    connection.type(new TextEncoder().encode('x'));

    expect(socket.sent.filter((one) => one instanceof Uint8Array)).toHaveLength(1);
  });

  it('makes a connection again within ten seconds after it froze, and keeps one that answers', async () => {
    connection.start();
    await vi.advanceTimersByTimeAsync(0);
    const [socket] = sockets;
    socket?.opens();
    socket?.receives('session_created', {});
    for (let second = 0; second < 60; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      if (JSON.stringify(socket?.sent.at(-1)) === '{"type":"ping"}') socket?.receives('pong');
    }
    expect(statuses.at(-1)).toEqual({ kind: 'open' });

    await vi.advanceTimersByTimeAsync(10_000);

    expect(statuses).toContainEqual(expect.objectContaining({ reason: 'the node does not answer' }));
    expect(sockets.length).toBe(2);
  });
});
