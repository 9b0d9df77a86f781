import type { SessionUpdate } from '@agentclientprotocol/sdk';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AgentState, workspaceId } from '../../../test/support/agent-state.js';
import type { SessionRecord } from '../agent-sessions/session-record.js';
import { Log } from '../shared/log.js';
import { MessageOutbox } from './message-outbox.js';
import { Transcript } from './transcript.js';

const log = new Log({ level: 'error', format: 'json' }, () => undefined);
const everything = { messages: 100_000, bytes: 1e9 };

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

function start(changes: Partial<SessionRecord> = {}) {
  const state = new AgentState();
  const outbox = new MessageOutbox(state.database, { messages: 10_000, bytes: 1e9 }, () => undefined);
  const woken: boolean[] = [];
  const transcript = new Transcript(state.session(changes), {
    outbox,
    wake: (_, { now }) => woken.push(now),
    log,
    now: () => new Date(),
  });
  const hear = (update: SessionUpdate) => transcript.record({ sessionId: 's', update });
  const say = (text: string, messageId = 'm') =>
    hear({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
  const messages = () => outbox.next(workspaceId, everything)?.rows.map(({ message }) => message) ?? [];
  const endTurn = () => {
    outbox.commit(() => transcript.storeRemaining());
    transcript.turnEnded();
  };
  return { state, outbox, transcript, woken, hear, say, messages, endTurn };
}

const prompt = {
  messageId: 'p1',
  text: 'Do it',
  origin: 'user' as const,
  promptStartedAt: 1,
  isKnown: false,
};

it('writes a turn as prompt, thoughts, text and tools, each in its place', () => {
  const { outbox, transcript, hear, say, messages, endTurn } = start();
  outbox.commit(() => transcript.storePrompt(prompt));
  transcript.promptStored(prompt);
  hear({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm' } });
  say('I will ');
  say('look.');
  hear({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Read a.ts', kind: 'read', status: 'pending' });
  hear({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't1',
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text: 'let a' } }],
  });
  say('Done.');
  endTurn();

  expect(messages().map(({ role, content, sequence }) => [sequence, role, content])).toEqual([
    [1, 'user', 'Do it'],
    [2, 'thinking', 'Hm'],
    [3, 'assistant', 'I will look.'],
    [4, 'tool', 'let a'],
    [5, 'assistant', 'Done.'],
  ]);
  expect(messages()[0]).toMatchObject({ messageId: 'p1', origin: 'user' });
  expect(messages()[3]?.toolMetadata).toEqual({
    toolCallId: 't1',
    title: 'Read a.ts',
    kind: 'read',
    status: 'completed',
  });
});

it('makes few messages of ten thousand pieces, and loses none of them', () => {
  for (const gapMs of [0, 1, 10, 100]) {
    const { say, messages, endTurn } = start();
    let text = '';
    for (let index = 0; index < 10_000; index++) {
      say(`${index} `);
      text += `${index} `;
      vi.advanceTimersByTime(gapMs);
    }
    endTurn();

    const contents = messages().map(({ content }) => content);

    expect(contents.join('')).toBe(text);
    expect(contents.length).toBeLessThanOrEqual(55);
  }
});

it('keeps a character whole whose halves come in two pieces, with a part told in between', () => {
  const { say, messages, endTurn } = start();
  say('a\ud83d');
  vi.advanceTimersByTime(5_000);
  say('\ude00b');
  endTurn();

  expect(messages().map(({ content }) => content)).toEqual(['a', '😀b']);
});

it('tells the first words of a message soon', () => {
  const { say, messages } = start();
  say('First ');
  vi.advanceTimersByTime(300);

  expect(messages().map(({ content }) => content)).toEqual(['First ']);
});

it('writes once a second what comes without a rest', () => {
  const { outbox, say } = start();
  const commits = vi.spyOn(outbox, 'commit');
  for (let at = 0; at < 10_000; at += 10) {
    say('x');
    vi.advanceTimersByTime(10);
  }

  expect(commits.mock.calls.length).toBeLessThanOrEqual(11);
});

it('has on disk what was heard a second ago, and sends that after a crash', () => {
  const { state, say } = start();
  say('a');
  vi.advanceTimersByTime(1_000);
  say('b');
  vi.advanceTimersByTime(1_000);
  say('c');
  vi.advanceTimersByTime(299);
  state.reopen();

  const outbox = new MessageOutbox(state.database, everything, () => undefined);
  outbox.reconcileOnStart();

  const contents = outbox.next(workspaceId, everything)?.rows.map(({ message }) => message.content);
  expect(contents).toEqual(['a', 'b']);
});

it('parts a text that is longer than a message may be, on a character, and cuts nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 50 }), { maxLength: 6 }), (pieces) => {
      const { say, messages, endTurn } = start();
      for (const piece of pieces) say(piece.repeat(2_000));
      endTurn();

      const contents = messages().map(({ content }) => content);
      expect(contents.join('')).toBe(pieces.map((piece) => piece.repeat(2_000)).join(''));
      for (const content of contents) expect(Buffer.byteLength(content)).toBeLessThanOrEqual(102_400);
    }),
    { numRuns: 20 },
  );
});

it('writes all of a turn again when the commit that ended it failed', () => {
  const { outbox, transcript, say, messages, endTurn } = start();
  say('all of it');
  const failing = () =>
    outbox.commit(() => {
      transcript.storeRemaining();
      throw new Error('disk');
    });
  expect(failing).toThrow('disk');
  expect(messages()).toEqual([]);

  transcript.turnEnded();
  endTurn();

  expect(messages().map(({ content, sequence }) => [sequence, content])).toEqual([[1, 'all of it']]);
});

it('tells of a tool that takes long before it has ended, and of one that never does when the turn is over', () => {
  const { hear, messages, endTurn } = start();
  hear({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'npm test', status: 'in_progress' });
  vi.advanceTimersByTime(3_000);
  const early = messages().map(({ toolMetadata }) => toolMetadata?.status);
  endTurn();

  expect(early).toEqual(['in_progress']);
  expect(messages().map(({ toolMetadata }) => toolMetadata?.status)).toEqual(['in_progress', 'in_progress']);
});

it('writes a plan as a list', () => {
  const { hear, messages, endTurn } = start();
  hear({
    sessionUpdate: 'plan',
    entries: [
      { content: 'Look', priority: 'high', status: 'completed' },
      { content: 'Build', priority: 'high', status: 'in_progress' },
      { content: 'Test', priority: 'low', status: 'pending' },
    ],
  });
  endTurn();

  expect(messages().map(({ role, content }) => [role, content])).toEqual([
    ['plan', '- [x] Look\n- [~] Build\n- [ ] Test'],
  ]);
});

it('keeps nothing of a session that belongs to no chat', () => {
  const { outbox, transcript, say, endTurn, woken } = start({ chatSessionId: null });
  outbox.commit(() => transcript.storePrompt(prompt));
  transcript.promptStored(prompt);
  say('Hello');
  endTurn();

  expect(outbox.count(workspaceId)).toBe(0);
  expect(woken).toEqual([]);
});

it('wakes the delivery at once at both ends of a turn, and otherwise lets it wait', () => {
  const { outbox, transcript, say, endTurn, woken } = start();
  outbox.commit(() => transcript.storePrompt(prompt));
  transcript.promptStored(prompt);
  say('Hello');
  vi.advanceTimersByTime(1_000);
  endTurn();

  expect(woken).toEqual([true, false, true]);
});

it('lets a message that the control plane has sent wait for what comes of it', () => {
  const { outbox, transcript, endTurn, woken, messages } = start();
  outbox.commit(() => transcript.storePrompt(prompt));
  transcript.promptStored({ isKnown: true });
  vi.advanceTimersByTime(60_000);
  const early = [...woken];
  endTurn();

  expect(early).toEqual([]);
  expect(woken).toEqual([true]);
  expect(messages().map(({ messageId }) => messageId)).toEqual(['p1']);
});

it('tells the first words of a turn as soon, however short ago the last turn has ended', () => {
  const { say, endTurn, messages, woken } = start();
  say('One');
  endTurn();
  vi.advanceTimersByTime(400);
  say('Two');
  vi.advanceTimersByTime(300);

  expect(messages().map(({ content }) => content)).toEqual(['One', 'Two']);
  expect(woken).toEqual([true, false]);
});

it('writes what it heard when it ends', () => {
  const { transcript, say, messages } = start();
  say('Hello');
  transcript.end();

  expect(messages().map(({ content }) => content)).toEqual(['Hello']);
});
