import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import type { Chat } from './chat.js';
import { sortBatch, type Teller } from './sort-batch.js';

const workspaceId = '01K0000000000000000000000W';
const life = { workspaceId, generation: 1 };
const told = (sequence: number, messageId = `m${sequence}`): ConversationMessage => ({
  messageId,
  sessionId: 'chat',
  role: 'assistant',
  content: String(sequence),
  timestamp: '2026-11-21T10:00:00.000Z',
  sequence,
});
const none = new Set<string>();

it('stores each message once and in order, however batches repeat and overlap', () => {
  const count = 20;
  // Each batch begins at or before what is not yet heard, as an outbox does that was not answered.
  const batches = fc.array(fc.record({ back: fc.nat(6), size: fc.integer({ min: 1, max: 8 }) }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(batches, (tries) => {
      let heard: Chat['heard'] = null;
      const stored: number[] = [];
      for (const { back, size } of tries) {
        const first = Math.max(1, (heard?.sequence ?? 0) + 1 - back);
        const batch = Array.from({ length: size }, (_, index) => first + index).filter((at) => at <= count);
        if (batch.length === 0) continue;
        const sorted = sortBatch(
          { heard },
          life,
          batch.map((at) => told(at)),
          none,
        );
        expect(sorted.fresh.length + sorted.duplicates).toBe(batch.length);
        stored.push(...sorted.fresh.map(({ sequence }) => sequence));
        heard = sorted.heard;
      }
      expect(stored).toEqual(Array.from({ length: stored.length }, (_, index) => index + 1));
    }),
  );
});

it('knows what a person wrote by its id', () => {
  const { fresh, duplicates, heard } = sortBatch(
    { heard: null },
    life,
    [told(1, 'mine'), told(2)],
    new Set(['mine']),
  );

  expect([fresh.map(({ sequence }) => sequence), duplicates, heard.sequence]).toEqual([[2], 1, 2]);
});

it('hears another life of the workspace from its beginning', () => {
  const heard = { workspaceId, generation: 1, sequence: 40 };

  expect(sortBatch({ heard }, { workspaceId, generation: 2 }, [told(1)], none).fresh).toHaveLength(1);
  expect(sortBatch({ heard }, life, [told(40)], none).fresh).toHaveLength(0);
});

it('knows a repeat also when the workspace has another generation by then', () => {
  const heard = { workspaceId, generation: 1, streamId: 'a', sequence: 2 };
  const sort = (teller: Teller) =>
    sortBatch({ heard }, teller, [told(1), told(2)], none).fresh.map(({ sequence }) => sequence);

  expect(sort({ workspaceId, generation: 2, streamId: 'a' })).toEqual([]);
  expect(sort({ workspaceId, generation: 2, streamId: 'b' })).toEqual([1, 2]);
  expect(sort({ workspaceId: '01K0000000000000000000000X', generation: 1, streamId: 'a' })).toEqual([1, 2]);
});

it('takes a number once that comes twice in one batch', () => {
  expect(sortBatch({ heard: null }, life, [told(1), told(1)], none)).toMatchObject({ duplicates: 1 });
});
