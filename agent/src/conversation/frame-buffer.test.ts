import type { SessionNotification, SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { FrameBuffer } from './frame-buffer.js';

const limits = { frames: 1_000, bytes: 1_000_000 };

function chunk(text: string, more: object = {}): SessionNotification {
  const content = { type: 'text' as const, text };
  return { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content, ...more } };
}

function framesOf(buffer: FrameBuffer): unknown[] {
  return Array.from({ length: buffer.end - buffer.first }, (_, index) =>
    JSON.parse(buffer.at(buffer.first + index)?.from(0) ?? ''),
  );
}

it('keeps adjacent pieces of one message as one frame', () => {
  const buffer = new FrameBuffer(limits);
  for (const text of ['Hel', 'lo ', 'wörld']) buffer.addUpdate(chunk(text));

  const frames = framesOf(buffer);

  expect(frames).toEqual([{ jsonrpc: '2.0', method: 'session/update', params: chunk('Hello wörld') }]);
});

it.each<[string, SessionNotification]>([
  ['another message', chunk('b', { messageId: 'other' })],
  ['a thought', chunk('b', { sessionUpdate: 'agent_thought_chunk' })],
  ['another session', { ...chunk('b'), sessionId: 'other' }],
  ['what has more to say', chunk('b', { _meta: { key: 1 } })],
  ['what is no text', chunk('', { content: { type: 'image', data: '', mimeType: 'image/png' } })],
])('keeps %s apart', (_, other) => {
  const buffer = new FrameBuffer(limits);
  for (const notification of [chunk('a'), other, chunk('c')]) buffer.addUpdate(notification);

  expect(framesOf(buffer)).toEqual(
    [chunk('a'), other, chunk('c')].map((params) => ({ jsonrpc: '2.0', method: 'session/update', params })),
  );
});

it('keeps the order of text and tools', () => {
  const buffer = new FrameBuffer(limits);
  const tool: SessionUpdate = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Read' };
  buffer.addUpdate(chunk('a'));
  buffer.addUpdate({ sessionId: 's', update: tool });
  buffer.addUpdate(chunk('b'));

  expect(framesOf(buffer)).toMatchObject([
    { params: chunk('a') },
    { params: { update: tool } },
    { params: chunk('b') },
  ]);
});

it('stays within its byte limit, and counts evicted frames', () => {
  const buffer = new FrameBuffer({ frames: 1_000, bytes: 50_000 });
  for (let index = 0; index < 300; index++)
    buffer.addUpdate(chunk('x'.repeat(1_000), { messageId: `${index}` }));

  const kept = buffer.end - buffer.first;

  expect(kept).toBeLessThan(50);
  expect(buffer.replayCount).toBe(kept);
  expect(buffer.lostCount).toBe(300 - kept);
});

it('starts another frame when a text is too long', () => {
  const buffer = new FrameBuffer({ frames: 10, bytes: 100_000_000 });
  for (let index = 0; index < 1_000; index++) buffer.addUpdate(chunk('x'.repeat(100)));

  const lengths = framesOf(buffer).map((frame) => JSON.stringify(frame).length);

  expect(Math.max(...lengths)).toBeLessThan(17_000);
  expect(lengths.length).toBeGreaterThan(5);
});
