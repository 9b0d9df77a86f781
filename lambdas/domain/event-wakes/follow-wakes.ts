import { EventSubscription } from '../event-subscriptions/event-subscription.js';
import { dueEventWakes } from '../event-subscriptions/wake-due.js';
import { Prompt } from '../prompts/prompt.js';
import type { Item } from '../records/batch-items.js';
import { eachDue } from '../records/each-due.js';
import { listDue } from '../records/list-due.js';
import { settleWake } from './settle-wake.js';
import { type WakeDeps, wakeSubscription } from './wake-subscription.js';

interface RowChange {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/**
 * Wakes the chat of a subscription whose wake has become due, and settles the wake whose prompt is
 * settled. A failure is only logged: the sweep does it again. No table call for another change.
 */
export async function followWakes(deps: WakeDeps, { before, after }: RowChange): Promise<void> {
  try {
    if (after?.entity === 'event-subscription') await followSubscription(deps, before, after);
    if (after?.entity === 'prompt' && after.sourceKind === 'project_event_wake')
      await settleWake(deps.table, Prompt.parse(after), deps.now);
  } catch (error) {
    deps.log.error('Event wake failed', { pk: after?.pk, error });
  }
}

async function followSubscription(deps: WakeDeps, before: Item | undefined, after: Item): Promise<void> {
  const subscription = EventSubscription.parse(after);
  const { wakeDueAt } = subscription;
  if (wakeDueAt === null || wakeDueAt === before?.wakeDueAt || wakeDueAt > deps.now.toISOString()) return;
  await wakeSubscription(deps, subscription);
}

/** The others are due in the next pass. */
const perPass = 100;

/**
 * Wakes the chats whose wake is due, the longest overdue first, one batch for each subscription.
 * One table call, and a few for each.
 */
export async function sweepWakes(deps: WakeDeps): Promise<void> {
  if (!deps.isEnabled) return;
  const items = await listDue(deps.table, { partition: dueEventWakes, now: deps.now, limit: perPass });
  await eachDue(
    items,
    (item) => wakeSubscription(deps, EventSubscription.parse(item)),
    ({ subscriptionId }, error) => deps.log.error('Event wake failed', { subscriptionId, error }),
  );
}
