import { expect, it } from 'vitest';
import { AgentState, workspaceId } from '../../../test/support/agent-state.js';
import { lostMark } from './message-contents.js';
import { MessageOutbox } from './message-outbox.js';
import { cutMark } from './message-text.js';
import type { OutboxMessage } from './outbox-message.js';

const limits = { messages: 10, bytes: 1_000_000 };
const batch = { messages: 50, bytes: 262_144 };

function outboxOf(state: AgentState, dropped: string[] = []) {
  return new MessageOutbox(state.database, limits, (_, chat) => dropped.push(chat));
}

function message(messageId: string, changes: Partial<OutboxMessage> = {}): OutboxMessage {
  return {
    workspaceId,
    chatSessionId: 'chat',
    messageId,
    role: 'assistant',
    content: `content of ${messageId}`,
    toolMetadata: null,
    origin: null,
    createdAt: '2026-11-21T12:00:00.000Z',
    isOpen: false,
    ...changes,
  };
}

const next = (outbox: MessageOutbox, limit = batch) =>
  outbox.next(workspaceId, limit)?.rows.map(({ message }) => [message.messageId, message.sequence]) ?? [];

it('returns the number of the last message of a chat, sent or not', () => {
  const outbox = outboxOf(new AgentState());
  outbox.write(message('a'));
  outbox.write(message('b'));
  outbox.remove(outbox.next(workspaceId, batch)?.rows ?? []);

  expect(outbox.sequences.last(workspaceId, 'chat')).toBe(2);
  expect(outbox.sequences.last(workspaceId, 'other')).toBe(0);
});

it('returns messages in order, numbered in each chat', () => {
  const outbox = outboxOf(new AgentState());
  outbox.write(message('a'));
  outbox.write(message('x', { chatSessionId: 'other' }));
  outbox.write(message('b'));

  const first = outbox.next(workspaceId, batch);
  outbox.remove(first?.rows ?? []);

  expect(first?.rows.map(({ message }) => message)).toMatchObject([
    { messageId: 'a', sessionId: 'chat', sequence: 1 },
    { messageId: 'b', sessionId: 'chat', sequence: 2 },
  ]);
  expect(next(outbox)).toEqual([['x', 1]]);
});

it('replaces a message that is written again, and keeps its number', () => {
  const outbox = outboxOf(new AgentState());
  outbox.write(message('a', { isOpen: true }));
  outbox.write(message('a', { content: 'all of it' }));
  outbox.write(message('b'));

  expect(outbox.next(workspaceId, batch)?.rows.map(({ message }) => message)).toMatchObject([
    { messageId: 'a', content: 'all of it', sequence: 1 },
    { messageId: 'b', sequence: 2 },
  ]);
});

it('blocks messages after an open one of the same chat only', () => {
  const outbox = outboxOf(new AgentState());
  outbox.write(message('a'));
  outbox.write(message('open', { isOpen: true }));
  outbox.write(message('b'));
  outbox.write(message('x', { chatSessionId: 'other' }));

  const before = next(outbox);
  outbox.remove(outbox.next(workspaceId, batch)?.rows ?? []);

  expect(before).toEqual([['a', 1]]);
  expect(next(outbox)).toEqual([['x', 1]]);
});

it('sends open messages after a restart', () => {
  const state = new AgentState();
  outboxOf(state).write(message('open', { isOpen: true }));
  state.reopen();
  const outbox = outboxOf(state);

  const workspaces = outbox.reconcileOnStart();

  expect(workspaces).toEqual([workspaceId]);
  expect(next(outbox)).toEqual([['open', 1]]);
});

it('loses exactly the writes of a failed commit', () => {
  const outbox = outboxOf(new AgentState());
  outbox.write(message('a'));

  const failing = () =>
    outbox.commit(() => {
      outbox.write(message('b'));
      throw new Error('disk');
    });

  expect(failing).toThrow('disk');
  outbox.write(message('c'));
  expect(next(outbox)).toEqual([
    ['a', 1],
    ['c', 2],
  ]);
});

it('keeps batches within the byte limit, and never empty', () => {
  const outbox = outboxOf(new AgentState());
  for (const id of ['a', 'b', 'c']) outbox.write(message(id, { content: 'x'.repeat(1_000) }));

  expect(next(outbox, { messages: 50, bytes: 2_500 })).toHaveLength(2);
  expect(next(outbox, { messages: 50, bytes: 10 })).toHaveLength(1);
  expect(next(outbox, { messages: 2, bytes: 100_000 })).toHaveLength(2);
});

it('stores the whole content of a long message, which is sent alone until uploaded', () => {
  const outbox = outboxOf(new AgentState());
  const content = `${'ü'.repeat(51_200)}x`;
  outbox.write(message('exact', { content: content.slice(0, -1) }));
  outbox.write(message('over', { content }));
  outbox.write(message('after'));
  const rows = () => outbox.next(workspaceId, { ...batch, bytes: 1e6 })?.rows ?? [];
  expect(rows()).toMatchObject([{ awaitsUpload: false, message: { content: content.slice(0, -1) } }]);
  outbox.remove(rows());

  const [over] = rows();
  expect(rows()).toHaveLength(1);
  expect(over?.awaitsUpload).toBe(true);
  expect(outbox.contents.read(over?.position ?? 0)).toBe(content);
  outbox.contents.uploaded(over?.position ?? 0, 'hash');

  const [stored] = rows().map(({ message }) => message);
  expect(rows()).toHaveLength(2);
  expect(stored).toMatchObject({ whole: { bytes: 102_401, sha256: 'hash' } });
  expect(stored?.content).toMatch(/^ü+\n\n\[truncated\]$/);
});

it('truncates content above the upload limit', () => {
  const outbox = new MessageOutbox(new AgentState().database, { messages: 10, bytes: 1e9 }, () => undefined);
  outbox.write(message('endless', { content: 'ü'.repeat(6_000_000) }));

  const position = outbox.next(workspaceId, batch)?.rows[0]?.position ?? 0;
  const kept = outbox.contents.read(position);
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(10 * 1024 ** 2);
  expect(kept.endsWith(cutMark)).toBe(true);
});

it('deletes the content with its message, or when it is given up', () => {
  const { database } = new AgentState();
  const outbox = new MessageOutbox(database, { messages: 10, bytes: 1e9 }, () => undefined);
  const kept = () => database.prepare('SELECT count(*) AS count FROM message_contents').get()?.count;
  for (const id of ['a', 'b', 'c']) outbox.write(message(id, { content: 'x'.repeat(200_000) }));
  const first = () => outbox.next(workspaceId, batch)?.rows[0];

  outbox.remove([{ position: first()?.position ?? 0 }]);
  expect(kept()).toBe(2);
  outbox.contents.giveUp(first()?.position ?? 0);
  expect(kept()).toBe(1);
  expect(first()).toMatchObject({ awaitsUpload: false });
  expect(first()?.message.content).toHaveLength(102_400);
  expect(first()?.message.content.endsWith(lostMark)).toBe(true);
  outbox.removeWorkspace(workspaceId);
  expect(kept()).toBe(0);
});

it('drops messages when full, reports it, and leaves a gap in the numbers', () => {
  const dropped: string[] = [];
  const outbox = outboxOf(new AgentState(), dropped);
  for (let index = 1; index <= 12; index++) outbox.write(message(`m${index}`));
  outbox.remove(outbox.next(workspaceId, batch)?.rows.slice(0, 5) ?? []);
  outbox.write(message('later'));

  expect(dropped).toEqual(['chat', 'chat']);
  expect(next(outbox).at(-1)).toEqual(['later', 13]);
});

it("takes a person's message a little longer, and then refuses it without using up a number", () => {
  const outbox = outboxOf(new AgentState());
  for (let index = 1; index <= 10; index++) outbox.write(message(`m${index}`));
  outbox.write(message('one more', { role: 'user' }));

  expect(() => outbox.write(message('too many', { role: 'user' }))).toThrow('too many undelivered messages');
  expect(next(outbox).at(-1)).toEqual(['one more', 11]);
});

it('accepts no more messages of a closed chat', () => {
  const outbox = outboxOf(new AgentState());
  outbox.write(message('a'));
  outbox.write(message('x', { chatSessionId: 'other' }));

  const count = outbox.closeChat(workspaceId, 'chat');

  expect(count).toBe(1);
  expect(outbox.write(message('b'))).toBe(false);
  expect(next(outbox)).toEqual([['x', 1]]);
});

it('deletes the messages of a workspace, and at the start those of unknown ones', () => {
  const state = new AgentState();
  const outbox = outboxOf(state);
  outbox.write(message('a'));
  outbox.write(message('stray', { workspaceId: 'gone' }));
  const workspaces = outbox.reconcileOnStart();
  outbox.removeWorkspace(workspaceId);

  expect(workspaces).toEqual([workspaceId]);
  expect(outbox.count('gone')).toBe(0);
  expect(outbox.count(workspaceId)).toBe(0);
  outbox.write(message('new'));
  expect(next(outbox)).toEqual([['new', 1]]);
});
