import { expect, it } from 'vitest';
import { newId } from '../../shared/ids.js';
import type { Table } from '../../shared/table.js';
import { createSubscription } from './create-subscription.js';
import { subscriptionItem } from './event-subscription.js';
import { newAgentSubscription } from './new-subscription.js';

const first = new Date('2026-11-27T12:00:00Z');
const later = new Date('2026-11-27T13:00:00Z');
const owner = { projectId: newId(), chatId: newId(), taskId: newId(), userId: newId() };

const draftAt = (now: Date, reason: string | null = null) =>
  newAgentSubscription(
    { ...owner, agentSessionId: newId(), tokenEndsAt: now.getTime() + 8 * 60 * 60_000 },
    {
      ...{ idempotencyKey: 'k', filter: { version: 1, source: 'builds' }, target: {}, reason },
      ...{ requestedDelivery: 'record_only', expiresAt: first.getTime() + 60_000 },
    },
    { isWakeEnabled: true, now },
  );

// Only reads: nothing is stored when the end has passed.
const tableWith = (items: readonly object[]) =>
  ({ name: 't', client: { send: async () => ({ Responses: { t: items } }) } }) as unknown as Table;

it('returns the subscription for a repeat after the end that it asks for', async () => {
  const stored = draftAt(first);
  const table = tableWith([subscriptionItem(stored)]);

  expect(await createSubscription(table, draftAt(later), later)).toEqual({
    ...{ subscription: stored, idempotent: true, changed: false },
  });
  await expect(createSubscription(table, draftAt(later, 'other'), later)).rejects.toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  });
});

it('refuses a first call with an end that has passed', async () => {
  await expect(createSubscription(tableWith([]), draftAt(later), later)).rejects.toMatchObject({
    kind: 'invalid',
    details: [{ field: 'expiresAt' }],
  });
});
