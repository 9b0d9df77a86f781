import { expect, it } from 'vitest';
import type { LiveMessage } from '../../../protocol/live.js';
import { entriesOf, firstGap, type Transcript, withDelivery, withMessages } from './transcript.js';

const none: Transcript = new Map();
const message = (sequence: number, more: Partial<LiveMessage> = {}): LiveMessage => ({
  id: `m${sequence}`,
  sessionId: '01JZ0000000000000000000000',
  sequence,
  lastSequence: sequence,
  role: 'assistant',
  content: `<${sequence}>`,
  contentBytes: null,
  toolMetadata: null,
  hasToolContent: false,
  origin: null,
  delivery: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
});

it('keeps each message once, in its order, however they arrive', () => {
  const known = withMessages(withMessages(none, [message(3), message(1)]), [message(2), message(1)]);
  expect([...known.keys()]).toEqual([1, 2, 3]);
});

it('keeps the content that it has when a frame leaves it out', () => {
  const known = withMessages(withMessages(none, [message(1)]), [message(1, { content: null })]);
  expect(known.get(1)?.content).toBe('<1>');
});

it('finds the first message that is missing, or came without its content', () => {
  expect(firstGap(withMessages(none, [message(4), message(5)]))).toBeUndefined();
  expect(firstGap(withMessages(none, [message(4), message(6)]))).toBe(5);
  expect(firstGap(withMessages(none, [message(4), message(5, { content: null })]))).toBe(5);
  expect(firstGap(withMessages(none, [message(4, { lastSequence: 8 }), message(9)]))).toBeUndefined();
});

it('joins the pieces of an answer', () => {
  const known = withMessages(none, [message(1, { role: 'user' }), message(2), message(3)]);
  expect(entriesOf(known).map(({ key, content }) => [key, content])).toEqual([
    [1, '<1>'],
    [2, '<2><3>'],
  ]);
});

it('shows a tool call once, where it began and as it ended', () => {
  const call = (sequence: number, status: string) =>
    message(sequence, { role: 'tool', toolMetadata: { toolCallId: 'a', status } });
  const entries = entriesOf(withMessages(none, [call(1, 'in_progress'), message(2), call(3, 'completed')]));
  expect(entries.map(({ key }) => key)).toEqual([1, 2]);
  expect(entries[0]?.message.toolMetadata?.status).toBe('completed');
});

it('shows how far a message has come', () => {
  const delivery = { deliveryId: '01JZ0000000000000000000001', state: 'queued', reason: null } as const;
  const known = withMessages(none, [message(1, { role: 'user', delivery })]);
  const after = withDelivery(known, { ...delivery, state: 'ambiguous', reason: 'lost_response' });
  expect(after.get(1)?.delivery).toMatchObject({ state: 'ambiguous', reason: 'lost_response' });
  expect(withDelivery(known, { ...delivery, deliveryId: 'another' })).toBe(known);
});
