import { expect, it } from 'vitest';
import { newId } from '../../shared/ids.js';
import { type Chat, newChat } from '../chats/chat.js';
import type { EventMatch } from '../event-subscriptions/event-match.js';
import type { EventSubscription } from '../event-subscriptions/event-subscription.js';
import { maxQueuedPrompts } from '../prompts/prompt.js';
import { planWake, type WakeSituation } from './plan-wake.js';
import { batchOutcome } from './settle-wake.js';
import { wakeLimits } from './wake-limits.js';
import { wakeMessage } from './wake-message.js';

const now = new Date('2026-11-27T12:00:00Z');
const after = (ms: number) => new Date(now.getTime() + ms).toISOString();
const chatId = newId();

const subscription: EventSubscription = {
  ...{
    subscriptionId: newId(),
    projectId: newId(),
    contractVersion: 2,
    idempotencyKey: 'k',
    definition: 'd',
  },
  ...{ owner: { type: 'agent', id: 'o' }, ownerChatId: chatId, ownerTaskId: newId(), ownerUserId: newId() },
  ...{ filter: { version: 1, source: 'github' }, filterFingerprint: 'f', matchKeyCount: 1 },
  ...{ requestedDelivery: 'existing_session_prompt', resolvedDelivery: 'queued_for_prompt_delivery' },
  target: { sessionId: chatId, taskId: null, runtimeId: null, agentId: null },
  ...{ channel: null, state: 'active', reason: null, endsAt: after(60_000), matchCount: 1 },
  ...{ lastMatchedAt: null, cancelledAt: null, cancelledBy: null, cancelReason: null },
  ...{ wakeDueAt: after(0), version: 1, createdAt: after(-60_000), updatedAt: after(0) },
};
const chat: Chat = newChat(
  { chatId, projectId: newId(), userId: newId(), topic: null, workspaceId: newId(), taskId: null },
  now,
);
// The plan only looks at whether there is one.
const matches = [{}] as unknown as readonly EventMatch[];
const situation: WakeSituation = { subscription, matches, chat, target: undefined, isAllowed: true };

const planOf = ({
  of,
  inChat,
  ...more
}: Partial<WakeSituation> & { of?: Partial<EventSubscription>; inChat?: Partial<Chat> }) =>
  planWake(
    { ...situation, subscription: { ...subscription, ...of }, chat: { ...chat, ...inChat }, ...more },
    now,
  );

const target = { chatId, batchId: null, subscriptionId: newId(), cooldownUntil: after(-1) };
const later = after(wakeLimits.cooldownMs);

it('wakes an active or sleeping chat', () => {
  expect(planOf({})).toMatchObject({ do: 'wake' });
  expect(planOf({ inChat: { status: 'sleeping' }, target })).toMatchObject({ do: 'wake' });
  expect(planOf({ of: { wakeCount: wakeLimits.wakes - 1, wakeCooldownUntil: after(0) } }).do).toBe('wake');
});

it('rests without matches, also when the subscription has ended', () => {
  expect(planOf({ matches: [], of: { state: 'cancelled' } })).toEqual({ do: 'rest' });
});

it.each([
  [{ state: 'cancelled' }, {}, 'cancelled', 'subscription_cancelled'],
  [{ state: 'expired' }, {}, 'expired', 'subscription_expired'],
  [{ endsAt: after(0) }, {}, 'expired', 'subscription_expired'],
  [{ createdAt: after(-wakeLimits.lifetimeMs) }, {}, 'expired', 'lifetime_ended'],
  [{ wakeCount: wakeLimits.wakes }, {}, 'recorded_not_injected', 'wakes_used'],
  [{}, { status: 'stopped' }, 'recorded_not_injected', 'chat_ended'],
  [{}, { status: 'error' }, 'recorded_not_injected', 'chat_ended'],
  [{}, { shutdownId: newId() }, 'recorded_not_injected', 'chat_ended'],
  [{ ownerTaskId: null }, {}, 'recorded_not_injected', 'not_eligible'],
  [{ owner: { type: 'human', id: 'x' } }, {}, 'recorded_not_injected', 'not_eligible'],
  [{ target: { ...subscription.target, sessionId: newId() } }, {}, 'recorded_not_injected', 'not_eligible'],
  [{ resolvedDelivery: 'recorded_not_injected' }, {}, 'recorded_not_injected', 'not_eligible'],
] as const)('subscription %j, chat %j: ends the matches as %s, %s', (of, inChat, to, reason) => {
  expect(planOf({ of, inChat })).toEqual({ do: 'close', to, reason });
});

it('cancels the subscription of an owner without rights', () => {
  expect(planOf({ isAllowed: false })).toEqual({ do: 'cancel' });
  expect(planOf({ isAllowed: false, inChat: { status: 'stopped' } }).do).toBe('close');
});

it.each([
  [{ of: { wakeCooldownUntil: after(5_000) } }, after(5_000)],
  [{ target: { ...target, cooldownUntil: after(7_000) } }, after(7_000)],
  [{ target: { ...target, batchId: newId() } }, later],
  [{ inChat: { queuedPrompts: maxQueuedPrompts } }, later],
] as const)('%j: waits until %s', (change, until) => {
  expect(planOf(change)).toEqual({ do: 'defer', until });
});

it.each([
  ['queued', null, null, undefined],
  ['delivering', null, null, undefined],
  ['retry_wait', null, null, undefined],
  ['delivered', 'in_flight', null, { state: 'delivered', reason: null }],
  ['delivered', 'ambiguous', null, { state: 'ambiguous', reason: 'lost_response' }],
  ['delivered', 'in_flight', 'never_invoked', { state: 'failed', reason: 'never_invoked' }],
  ['failed', null, 'dead_target', { state: 'failed', reason: 'dead_target' }],
  ['failed', null, 'not_allowed', { state: 'cancelled', reason: 'source_task_authority_revoked' }],
  ['ambiguous', null, 'runtime_changed', { state: 'ambiguous', reason: 'runtime_changed' }],
  ['expired', null, 'deadline_passed', { state: 'expired', reason: 'deadline_passed' }],
] as const)(
  'a prompt that is %s, receipt %s, %s, makes the batch %j',
  (deliveryState, receiptState, terminalReason, outcome) => {
    expect(batchOutcome({ deliveryState, receiptState, terminalReason })).toEqual(outcome);
  },
);

it('has only ids in the text of a wake', () => {
  const [batchId, subscriptionId, ...eventIds] = [newId(), newId(), newId(), newId()];
  const text = wakeMessage({ batchId, subscriptionId, eventIds });
  for (const id of [batchId, subscriptionId, ...eventIds]) expect(text).toContain(id);
  expect(text).toMatch(/^2 events match/);
});
