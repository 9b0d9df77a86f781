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
  const record = (update: SessionUpdate) => transcript.record({ sessionId: 's', update });
  const say = (text: string, messageId = 'm') =>
    record({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
  const messages = () => outbox.next(workspaceId, everything)?.rows.map(({ message }) => message) ?? [];
  const endTurn = () => {
    outbox.commit(() => transcript.storeRemaining(null));
    transcript.turnEnded();
  };
  return { state, outbox, transcript, woken, record, say, messages, endTurn };
}

const prompt = {
  messageId: 'p1',
  text: 'Do it',
  origin: 'user' as const,
  promptStartedAt: 1,
  isKnown: false,
};

it('writes prompt, thoughts, text and tools of a turn in order', () => {
  const { outbox, transcript, record, say, messages, endTurn } = start();
  outbox.commit(() => transcript.storePrompt(prompt));
  transcript.promptStored(prompt);
  record({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm' } });
  say('I will ');
  say('look.');
  record({
    sessionUpdate: 'tool_call',
    toolCallId: 't1',
    title: 'Read a.ts',
    kind: 'read',
    status: 'pending',
  });
  record({
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

it('joins 10,000 pieces to few messages without loss', () => {
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

it('joins the halves of a character across parts', () => {
  const { say, messages, endTurn } = start();
  say('a\ud83d');
  vi.advanceTimersByTime(5_000);
  say('\ude00b');
  endTurn();

  expect(messages().map(({ content }) => content)).toEqual(['a', '😀b']);
});

it('sends the beginning of a message soon', () => {
  const { say, messages } = start();
  say('First ');
  vi.advanceTimersByTime(300);

  expect(messages().map(({ content }) => content)).toEqual(['First ']);
});

it('writes once a second while text arrives without a pause', () => {
  const { outbox, say } = start();
  const commits = vi.spyOn(outbox, 'commit');
  for (let at = 0; at < 10_000; at += 10) {
    say('x');
    vi.advanceTimersByTime(10);
  }

  expect(commits.mock.calls.length).toBeLessThanOrEqual(11);
});

it('sends text that is a second old after a crash', () => {
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

it('splits text above the message limit at a character, without loss', () => {
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

it('writes the turn again when the commit of its end failed', () => {
  const { outbox, transcript, say, messages, endTurn } = start();
  say('all of it');
  const failing = () =>
    outbox.commit(() => {
      transcript.storeRemaining(null);
      throw new Error('disk');
    });
  expect(failing).toThrow('disk');
  expect(messages()).toEqual([]);

  transcript.turnEnded();
  endTurn();

  expect(messages().map(({ content, sequence }) => [sequence, content])).toEqual([[1, 'all of it']]);
});

it('reports a slow tool call early, and an open one at the end of the turn', () => {
  const { record, messages, endTurn } = start();
  record({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'npm test', status: 'in_progress' });
  vi.advanceTimersByTime(3_000);
  const early = messages().map(({ toolMetadata }) => toolMetadata?.status);
  endTurn();

  expect(early).toEqual(['in_progress']);
  expect(messages().map(({ toolMetadata }) => toolMetadata?.status)).toEqual(['in_progress', 'in_progress']);
});

it('writes a plan as a list', () => {
  const { record, messages, endTurn } = start();
  record({
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

it('stores nothing for a session without a chat', () => {
  const { outbox, transcript, say, endTurn, woken } = start({ chatSessionId: null });
  outbox.commit(() => transcript.storePrompt(prompt));
  transcript.promptStored(prompt);
  say('Hello');
  endTurn();

  expect(outbox.count(workspaceId)).toBe(0);
  expect(woken).toEqual([]);
});

it('wakes the delivery at once only at the start and the end of a turn', () => {
  const { outbox, transcript, say, endTurn, woken } = start();
  outbox.commit(() => transcript.storePrompt(prompt));
  transcript.promptStored(prompt);
  say('Hello');
  vi.advanceTimersByTime(1_000);
  endTurn();

  expect(woken).toEqual([true, false, true]);
});

it('sends a prompt of the control plane with the next message', () => {
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

it('sends the beginning of a turn soon, also right after the last turn', () => {
  const { say, endTurn, messages, woken } = start();
  say('One');
  endTurn();
  vi.advanceTimersByTime(400);
  say('Two');
  vi.advanceTimersByTime(300);

  expect(messages().map(({ content }) => content)).toEqual(['One', 'Two']);
  expect(woken).toEqual([true, false]);
});

it('writes remaining updates when it ends', () => {
  const { transcript, say, messages } = start();
  say('Hello');
  transcript.end();

  expect(messages().map(({ content }) => content)).toEqual(['Hello']);
});

it('reports the output of a command that arrives in pieces', () => {
  const { record, messages, endTurn } = start();
  const piece = (data: string) => ({ _meta: { terminal_output_delta: { data, terminal_id: 't1' } } });
  const content = [{ type: 'terminal' as const, terminalId: 't1' }];
  record({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'make', status: 'in_progress', content });
  for (const data of ['one\n', 'two\n'])
    record({ sessionUpdate: 'tool_call_update', toolCallId: 't1', ...piece(data) });
  record({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed', ...piece('end') });
  endTurn();

  expect(messages()).toMatchObject([{ role: 'tool', content: 'one\ntwo\nend' }]);
});
