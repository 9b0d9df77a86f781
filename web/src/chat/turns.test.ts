import { expect, it } from 'vitest';
import type { LiveMessage } from '../../../protocol/live.js';
import { entriesOf, withMessages } from './transcript.js';
import { blocksOf, stepWords, turnsOf } from './turns.js';

const message = (
  sequence: number,
  role: LiveMessage['role'],
  more: Partial<LiveMessage> = {},
): LiveMessage => ({
  ...{ id: `m${sequence}`, sessionId: '01JZ0000000000000000000000', sequence, lastSequence: sequence, role },
  ...{ content: `${role} ${sequence}`, contentBytes: null, toolMetadata: null, hasToolContent: false },
  ...{ origin: null, delivery: null, createdAt: new Date(sequence * 2_000).toISOString() },
  ...more,
});
const tool = (sequence: number, status = 'completed') =>
  message(sequence, 'tool', { toolMetadata: { toolCallId: `t${sequence}`, status } });
const entries = (...messages: LiveMessage[]) => entriesOf(withMessages(new Map(), messages));
const shown = (all: ReturnType<typeof entries>, isWorking: boolean) =>
  turnsOf(all, isWorking).map((turn) =>
    blocksOf(turn).map((block) =>
      block.kind === 'entry' ? block.entry.content : stepWords(block.entries, block.ms),
    ),
  );

const twoTurns = entries(
  message(1, 'user'),
  message(2, 'plan'),
  message(3, 'thinking'),
  tool(4),
  message(5, 'assistant'),
  tool(6, 'failed'),
  message(7, 'assistant'),
  message(8, 'user'),
  tool(9),
  tool(10),
);

it('folds the steps of finished turns, and shows those of the running one', () => {
  expect(shown(twoTurns, true)).toEqual([
    ['user 1', '2 tool calls, 1 failed, 12 s', 'assistant 5', 'assistant 7'],
    ['user 8', 'tool 9', 'tool 10'],
  ]);
  expect(shown(twoTurns, false)[1]).toEqual(['user 8', '2 tool calls, 4 s']);
});

it('keeps a turn open while another message waits', () => {
  const delivery = { deliveryId: '01JZ0000000000000000000001', state: 'queued', reason: null } as const;
  const all = entries(message(1, 'user'), tool(2), tool(3), message(4, 'user', { delivery }));
  expect(shown(all, true)).toEqual([['user 1', 'tool 2', 'tool 3'], ['user 4']]);
});

it('begins with what came before the first message that is known', () => {
  expect(shown(entries(message(4, 'assistant'), message(5, 'user')), false)).toEqual([
    ['assistant 4'],
    ['user 5'],
  ]);
});
