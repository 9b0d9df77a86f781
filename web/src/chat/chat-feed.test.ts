import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { BerthClient } from '../../../client/berth-client.js';
import { LiveSocket, type LiveTransport } from '../live.js';
import { ChatFeed } from './chat-feed.js';

const place = { projectId: '01JZ0000000000000000000001', sessionId: '01JZ0000000000000000000002' };

/** Requests that wait for an answer of the API, in their order. */
let requests: { readonly answer: (topic: string, activity: string) => Promise<void> }[];
let feed: ChatFeed;
let socket: LiveTransport;

const stateOf = (topic: string) => ({
  topic,
  status: 'active',
  workspaceId: null,
  agentSessionId: null,
  queuedPrompts: 0,
});

beforeEach(() => {
  requests = [];
  const fetch = () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const answer = async (topic: string, activity: string) => {
      resolve(Response.json({ session: stateOf(topic), messages: [], hasMore: false, state: { activity } }));
      await nextTurn();
    };
    requests.push({ answer });
    return promise;
  };
  // It opens when a test says so.
  socket = { readyState: 0, onopen: null, onclose: null, onmessage: null, send() {}, close() {} };
  const live = new LiveSocket(() => socket);
  feed = new ChatFeed(new BerthClient({ url: 'http://localhost', fetch }), live, place);
  return () => live[Symbol.dispose]();
});

it('has its messages before the live socket has subscribed to it', async () => {
  feed.open();
  const end = feed.subscribe(() => undefined);
  await requests[0]?.answer('the door', 'idle');

  expect(feed.snapshot()).toMatchObject({ session: { topic: 'the door' }, activity: 'idle' });
  expect(requests).toHaveLength(1);
  end();
});

it('does not go back to an earlier answer that arrives late', async () => {
  feed.open();
  feed.open();
  await requests[1]?.answer('the newer', 'prompting');
  await requests[0]?.answer('the older', 'idle');

  expect(feed.snapshot()).toMatchObject({ session: { topic: 'the newer' }, activity: 'prompting' });
});

it('reads again when the live socket says of the chat what is not known, and only then', async () => {
  feed.open();
  const end = feed.subscribe(() => undefined);
  await requests[0]?.answer('the door', 'idle');
  expect(requests).toHaveLength(1);

  say('the door', 0);
  expect(requests).toHaveLength(1);
  say('the gate', 0);
  expect(requests).toHaveLength(2);
  say('the door', 1);
  expect(requests).toHaveLength(3);
  end();
});

/** An event of the chat with its topic and the sequence of its newest message. */
function say(topic: string, lastSequence: number): void {
  const data = { sessionId: place.sessionId, ...stateOf(topic), lastSequence, messageCount: lastSequence };
  const event = { type: 'session.updated', topic: `chat:${place.sessionId}`, version: 1, data };
  socket.onmessage?.(new MessageEvent('message', { data: JSON.stringify(event) }));
}
