import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LiveListener, LiveSocket, type LiveTransport } from './live.js';

class FakeSocket implements LiveTransport {
  readyState = 0;
  onopen: LiveTransport['onopen'] = null;
  onclose: LiveTransport['onclose'] = null;
  onmessage: LiveTransport['onmessage'] = null;
  readonly sent: unknown[] = [];
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.readyState = 3;
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
  const listener: LiveListener = {
    subscribed: () => received.push('subscribed'),
    message: ({ type }) => received.push(type),
  };

  beforeEach(() => {
    vi.useFakeTimers();
    [sockets, received] = [[], []];
    live = new LiveSocket(() => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    });
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

  it('takes a socket that answers no ping for dead', () => {
    live.subscribe(topic, listener);
    sockets[0]?.opens();
    vi.advanceTimersByTime(4 * 60_000 + 15_000 + 600);

    expect(sockets).toHaveLength(2);
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
