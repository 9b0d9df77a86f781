import type { Subscriber } from './list-subscribers.js';

/** A subscriber as other agents see it: no reason, filter or key. Times are epoch milliseconds. */
export function subscriberView({ subscription, state }: Subscriber) {
  const { subscriptionId, owner, target, endsAt, createdAt } = subscription;
  return {
    subscriptionId,
    ownerType: owner.type,
    ownerId: owner.id,
    ownerName: owner.name ?? null,
    targetSessionId: target.sessionId,
    targetTaskId: target.taskId,
    targetRuntimeId: target.runtimeId,
    targetAgentId: target.agentId,
    state,
    expiresAt: Date.parse(endsAt),
    createdAt: Date.parse(createdAt),
  };
}
