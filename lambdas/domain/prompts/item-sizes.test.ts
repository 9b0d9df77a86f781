import { expect, it } from 'vitest';
import { itemBytes } from '../../../test/support/item-bytes.js';
import { type Chat, chatItem, newChat } from '../chats/chat.js';
import { newPrompt, type Prompt, promptItem } from './prompt.js';
import { dueKeys } from './queue-items.js';

const unit = 1_024;
const now = new Date('2026-11-22T00:05:47.500Z');
const at = now.toISOString();
const id = '01M8095GBYVJT6KK97YW2G0PHJ';
const run = 'c6fce142-1100-4ac5-a7b5-958acfa28db7';

it('a prompt of two lines costs one write unit in every state', () => {
  const queued = newPrompt(
    {
      ...{ deliveryId: id, chatId: id, projectId: id, senderId: id, sequence: 1_000, kind: 'prompt' },
      ...{ sourceKind: 'user_followup', senderType: 'human', messageClass: 'deliver', isUnqueued: true },
      content: 'x'.repeat(160),
    },
    now,
  );
  const delivering: Prompt = {
    ...queued,
    ...{ deliveryState: 'delivering', deliveryAttempts: 1, attemptId: id, attemptStartedAt: at },
    ...{ runtimeIdentity: run, receiptSupported: true, version: 2 },
  };
  const delivered: Prompt = {
    ...delivering,
    ...{ deliveryState: 'delivered', receiptState: 'in_flight', receiptCheckedAt: at, isUnqueued: null },
    ...{ acceptedAt: at, deliveredAt: at, version: 3 },
  };

  expect(itemBytes({ ...promptItem(delivering), ...dueKeys(delivering) })).toBeLessThan(unit);
  expect(itemBytes(promptItem(delivered))).toBeLessThan(unit);
});

it('the chat of a task with a title of 80 characters costs one write unit while its agent works', () => {
  const began = newChat(
    { chatId: id, projectId: id, userId: id, taskId: id, workspaceId: id, topic: 'x'.repeat(80) },
    now,
  );
  const working: Chat = {
    ...began,
    ...{ agentSessionId: id, messageCount: 1_000, lastSequence: 1_000, queuedPrompts: 1, version: 2_000 },
    cursor: { workspaceId: id, generation: 1, streamId: '1e72e23d0e04c03a6a12fbc1cabc94b9', sequence: 1_000 },
    activity: {
      ...{ activity: 'prompting', activityAt: at, agentType: 'claude-code', restartCount: 0 },
      ...{ promptStartedAt: now.getTime(), statusError: null },
    },
    ...{
      isStarted: true,
      unqueued: `3#000000001000#${id}`,
      unconfirmedId: id,
      unconfirmedRestarts: 0,
      confirmAt: at,
    },
    lastMessageAt: at,
  };

  expect(itemBytes(chatItem(working))).toBeLessThan(unit);
});
