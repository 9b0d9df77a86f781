import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LiveListener, LiveSocket, type LiveTransport } from './live.js';

class FakeSocket implements LiveTransport {
  readyState = 0;
  onopen: LiveTransport['onopen'] = null;
  onclose: LiveTransport['onclose'] = null;
  onmessage: LiveTransport['onmessage'] = null;
  readonly sent: unknown[] = [];
  /** A close at the other end that nobody reports. */
  isCutOff = false;
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.readyState = 3;
    if (this.isCutOff) return;
    // Nothing reads the event; Node has no CloseEvent to make one of.
    this.onclose?.({} as CloseEvent);
  }
  opens(): void {
    this.readyState = 1;
    this.onopen?.(new Event('open'));
  }
  receives(message: unknown): void {
    this.onmessage?.(new MessageEvent('message', { data: JSON.stringify(message) }));
  }
}

const topic = 'workspace:01JZ0000000000000000000000';
const subscribe = { action: 'subscribe', topic };
const event = {
  type: 'workspace.status',
  topic,
  version: 2,
  data: { workspaceId: '01JZ0000000000000000000000', status: 'running', errorMessage: null },
};

describe('the live socket', () => {
  let sockets: FakeSocket[];
  let live: LiveSocket;
  let received: string[];
  let isWatched: boolean;
  const listener: LiveListener = {
    subscribed: () => received.push('subscribed'),
    message: ({ type }) => received.push(type),
  };

  beforeEach(() => {
    vi.useFakeTimers();
    [sockets, received, isWatched] = [[], [], true];
    live = new LiveSocket(
      () => {
        const socket = new FakeSocket();
        sockets.push(socket);
        return socket;
      },
      () => isWatched,
    );
  });
  afterEach(() => {
    live[Symbol.dispose]();
    vi.useRealTimers();
  });

  it('subscribes when it is open, notifies the listener, and passes messages on', () => {
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    sockets[0]?.receives({ type: 'subscribed', topic });
    sockets[0]?.receives(event);
    sockets[0]?.receives({ type: 'nobody knows', topic });

    expect(sockets[0]?.sent).toEqual([subscribe]);
    expect(received).toEqual(['subscribed', 'workspace.status']);
  });

  it('does not reconnect by itself after it was closed for a newer one, and says why', () => {
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    sockets[0]?.receives({ type: 'error', error: 'TOO_MANY_SOCKETS', message: 'Close other windows.' });
    sockets[0]?.close();
    vi.advanceTimersByTime(600_000);

    expect(sockets).toHaveLength(1);
    expect(live.isLost()).toBe(true);
    expect(live.endedBecause()).toBe('Close other windows.');

    live.check();
    sockets[1]?.opens();

    expect(live.isLost()).toBe(false);
    expect(live.endedBecause()).toBeUndefined();
  });

  it('passes on one by one what came in one frame', () => {
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    const elsewhere = { ...event, topic: 'workspace:01JZ0000000000000000000001' };
    sockets[0]?.receives({ type: 'events', events: [event, elsewhere, { ...event, version: 3 }] });

    expect(received).toEqual(['workspace.status', 'workspace.status']);
  });

  it('returns after a cut and subscribes again, so that the listener fetches what it missed', () => {
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    sockets[0]?.close();
    vi.advanceTimersByTime(600);
    sockets[1]?.opens();
    sockets[1]?.receives({ type: 'subscribed', topic });

    expect(sockets[1]?.sent).toEqual([subscribe]);
    expect(received).toEqual(['subscribed']);
  });

  const pings = (index: number) =>
    sockets[index]?.sent.filter((message) => JSON.stringify(message) === '{"action":"ping"}').length;

  it('notices within 10 s that its connection is dead, says so, and connects again', () => {
    const changes: boolean[] = [];
    live.watch(() => changes.push(live.isLost()));
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    sockets[0]?.receives({ type: 'subscribed', topic });
    if (sockets[0]) sockets[0].isCutOff = true;
    vi.advanceTimersByTime(9_000);

    expect(changes).toEqual([true]);
    expect(sockets).toHaveLength(2);
    sockets[1]?.opens();
    expect(changes).toEqual([true, false]);
    expect(sockets[1]?.sent).toEqual([subscribe]);
  });

  it('asks only when nothing comes by itself', () => {
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    for (let second = 0; second < 20; second += 1) {
      vi.advanceTimersByTime(1_000);
      sockets[0]?.receives(event);
    }
    expect(pings(0)).toBe(0);
    vi.advanceTimersByTime(4_000);
    sockets[0]?.receives({ type: 'pong' });
    vi.advanceTimersByTime(3_999);

    expect(pings(0)).toBe(1);
    expect(sockets).toHaveLength(1);
  });

  it('asks rarely while nobody looks, and at once when somebody does', () => {
    isWatched = false;
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    vi.advanceTimersByTime(60_000);
    expect(pings(0)).toBe(0);
    live.check();

    expect(pings(0)).toBe(1);
    vi.advanceTimersByTime(4_600);
    expect(sockets).toHaveLength(2);
  });

  it('does not wait for the next try when the network is back', () => {
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    sockets[0]?.close();
    live.check();
    live.check();

    expect(sockets).toHaveLength(2);
    vi.advanceTimersByTime(2_000);
    expect(live.isLost()).toBe(true);
    sockets[1]?.opens();
    expect(live.isLost()).toBe(false);
    expect(sockets).toHaveLength(2);
  });

  it('tries again when a connection does not open', () => {
    live.subscribe(topic, listener);
    if (sockets[0]) sockets[0].isCutOff = true;
    vi.advanceTimersByTime(5_600);

    expect(sockets).toHaveLength(2);
  });

  it('says nothing of a connection that comes back at once', () => {
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    sockets[0]?.close();
    vi.advanceTimersByTime(600);
    sockets[1]?.opens();
    vi.advanceTimersByTime(2_000);

    expect(live.isLost()).toBe(false);
  });

  it('closes when nobody listens any more, and stays closed', () => {
    const end = live.subscribe(topic, listener);
    sockets[0]?.opens();
    end();
    vi.advanceTimersByTime(3_600_000);

    expect(sockets[0]?.readyState).toBe(3);
    expect(sockets).toHaveLength(1);
  });
});
