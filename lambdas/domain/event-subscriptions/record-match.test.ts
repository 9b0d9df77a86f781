import { expect, it } from 'vitest';
import { newId } from '../../shared/ids.js';
import { newEvent } from '../project-events/project-event.js';
import { newAgentSubscription } from './new-subscription.js';
import { matchWrites } from './record-match.js';

const now = new Date('2026-11-27T12:00:00Z');
const projectId = newId();

const subscription = newAgentSubscription(
  {
    ...{ projectId, chatId: newId(), taskId: newId(), userId: newId(), agentSessionId: newId() },
    tokenEndsAt: now.getTime() + 60_000,
  },
  {
    ...{ idempotencyKey: 'k', filter: { version: 1, source: 'builds' }, target: {} },
    ...{ requestedDelivery: 'existing_session_prompt', reason: null, expiresAt: null },
  },
  { isWakeEnabled: true, now },
);
const event = newEvent(
  projectId,
  {
    ...{
      source: 'builds',
      eventType: 'build.failed',
      subject: { type: 'build', id: '1' },
      severity: 'error',
    },
    ...{ deliveryKey: '1', occurredAt: now.toISOString() },
  },
  now,
);

const updateFor = (seen: typeof subscription) => matchWrites(seen, { events: [event], now })[0];

it('makes a wake due for the matches of a subscription that owes none', () => {
  expect(updateFor(subscription)).toMatchObject({
    update: { set: { matchCount: 1, wakeDueAt: now.toISOString(), parentPk: 'DUEEVENTWAKES' } },
  });
});

it('counts on a wake that is due only while the subscription has not changed', () => {
  const seen = { ...subscription, wakeDueAt: now.toISOString(), matchCount: 3, version: 7 };

  expect(updateFor(seen)).not.toHaveProperty('update.set.wakeDueAt');
  expect(updateFor(seen)).toMatchObject({
    update: {
      set: { matchCount: 4 },
      when: { equals: { state: 'active', version: 7 } },
    },
  });
});
