import type { EventSubscription } from './event-subscription.js';

/** Partition of the index `byParent` with the subscriptions whose matches wait for a wake. */
export const dueEventWakes = 'DUEEVENTWAKES';

/** The changes of a subscription with which a match causes a wake. An earlier due time stays. */
export function wakeDueChange(
  { subscriptionId, resolvedDelivery, wakeDueAt }: EventSubscription,
  now: Date,
): { readonly wakeDueAt?: string; readonly parentPk?: string; readonly parentSk?: string } {
  if (resolvedDelivery !== 'queued_for_prompt_delivery' || wakeDueAt !== null) return {};
  const at = now.toISOString();
  return { wakeDueAt: at, parentPk: dueEventWakes, parentSk: `${at}#${subscriptionId}` };
}
