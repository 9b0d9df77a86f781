import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import type { Chat } from './chat.js';
import { type Reporter, sortBatch } from './sort-batch.js';

const workspaceId = '01K0000000000000000000000W';
const reporter = { workspaceId, generation: 1 };
const reported = (sequence: number, messageId = `m${sequence}`): ConversationMessage => ({
  messageId,
  sessionId: 'chat',
  role: 'assistant',
  content: String(sequence),
  timestamp: '2026-11-21T10:00:00.000Z',
  sequence,
});
const none = new Set<string>();

it('stores each message once and in order when batches repeat and overlap', () => {
  const count = 20;
  // Each batch begins at or before the cursor, as an outbox does after a lost reply.
  const batches = fc.array(fc.record({ back: fc.nat(6), size: fc.integer({ min: 1, max: 8 }) }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(batches, (tries) => {
      let cursor: Chat['cursor'] = null;
      const stored: number[] = [];
      for (const { back, size } of tries) {
        const first = Math.max(1, (cursor?.sequence ?? 0) + 1 - back);
        const batch = Array.from({ length: size }, (_, index) => first + index).filter((at) => at <= count);
        if (batch.length === 0) continue;
        const sorted = sortBatch(
          { cursor },
          reporter,
          batch.map((at) => reported(at)),
          none,
        );
        expect(sorted.fresh.length + sorted.duplicates).toBe(batch.length);
        stored.push(...sorted.fresh.map(({ sequence }) => sequence));
        cursor = sorted.cursor;
      }
      expect(stored).toEqual(Array.from({ length: stored.length }, (_, index) => index + 1));
    }),
  );
});

it('recognises a message of a person by its id', () => {
  const { fresh, duplicates, cursor } = sortBatch(
    { cursor: null },
    reporter,
    [reported(1, 'mine'), reported(2)],
    new Set(['mine']),
  );

  expect([fresh.map(({ sequence }) => sequence), duplicates, cursor.sequence]).toEqual([[2], 1, 2]);
});

it('starts the sequence again for another reporter of the workspace', () => {
  const cursor = { workspaceId, generation: 1, sequence: 40 };

  expect(sortBatch({ cursor }, { workspaceId, generation: 2 }, [reported(1)], none).fresh).toHaveLength(1);
  expect(sortBatch({ cursor }, reporter, [reported(40)], none).fresh).toHaveLength(0);
});

it('recognises a repeat in a later generation of the workspace', () => {
  const cursor = { workspaceId, generation: 1, streamId: 'a', sequence: 2 };
  const sort = (reporter: Reporter) =>
    sortBatch({ cursor }, reporter, [reported(1), reported(2)], none).fresh.map(({ sequence }) => sequence);

  expect(sort({ workspaceId, generation: 2, streamId: 'a' })).toEqual([]);
  expect(sort({ workspaceId, generation: 2, streamId: 'b' })).toEqual([1, 2]);
  expect(sort({ workspaceId: '01K0000000000000000000000X', generation: 1, streamId: 'a' })).toEqual([1, 2]);
});

it('stores a sequence number once when it appears twice in a batch', () => {
  expect(sortBatch({ cursor: null }, reporter, [reported(1), reported(1)], none)).toMatchObject({
    duplicates: 1,
  });
});
