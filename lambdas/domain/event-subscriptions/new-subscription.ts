import { canonicalJson } from '../../shared/canonical-json.js';
import { hashText } from '../../shared/hash-text.js';
import { type EventFilter, filterFingerprint, matchKeyCount } from './event-filter.js';
import {
  agentOwnerId,
  type DeliveryTarget,
  type EventSubscription,
  type FollowedChannel,
  subscriptionIdOf,
} from './event-subscription.js';
import { type RequestedDelivery, resolveDelivery } from './resolve-delivery.js';

/** The request of an agent. */
export interface SubscriptionRequest {
  readonly idempotencyKey: string;
  readonly filter: EventFilter;
  readonly requestedDelivery: RequestedDelivery;
  readonly target: { readonly [Name in 'sessionId' | 'taskId' | 'agentId']?: string | undefined };
  readonly reason: string | null;
  /** Epoch milliseconds; null for the latest possible time. */
  readonly expiresAt: number | null;
  readonly channel?: FollowedChannel;
}

/** The agent that subscribes, as its token states. */
export interface AgentOwner {
  readonly projectId: string;
  readonly chatId: string;
  readonly taskId: string | null;
  readonly userId: string;
  /** Null while its agent has not started. */
  readonly agentSessionId: string | null;
  /** Epoch milliseconds. */
  readonly tokenEndsAt: number;
}

interface Circumstances {
  readonly isWakeEnabled: boolean;
  readonly now: Date;
}

/** The longest time of a subscription of an agent. */
const maxLifetimeMs = 24 * 60 * 60_000;

const contractVersion = 1;
/** Of a subscription that may wake its owner. */
const wakeContractVersion = 2;

/** It has elapsed already when the request asks for a time in the past. */
export function newAgentSubscription(
  owner: AgentOwner,
  request: SubscriptionRequest,
  { isWakeEnabled, now }: Circumstances,
): EventSubscription {
  const { projectId, chatId, taskId, userId } = owner;
  const { idempotencyKey, filter, requestedDelivery, reason, channel = null } = request;
  const party = { type: 'agent', id: agentOwnerId(projectId, chatId) } as const;
  const resolvedDelivery = resolveDelivery({
    requested: requestedDelivery,
    isOwnTarget: isOwnTarget(owner, request.target),
    hasTask: taskId !== null,
    isWakeEnabled,
  });
  const isWoken = resolvedDelivery === 'queued_for_prompt_delivery';
  const at = now.toISOString();
  return {
    ...neverMatched,
    ...{ projectId, idempotencyKey, filter, requestedDelivery, resolvedDelivery, reason, channel },
    subscriptionId: subscriptionIdOf(projectId, party, idempotencyKey),
    contractVersion: isWoken ? wakeContractVersion : contractVersion,
    owner: party,
    ...{ ownerChatId: chatId, ownerTaskId: taskId, ownerUserId: userId },
    definition: definitionOf(request),
    filterFingerprint: filterFingerprint(filter),
    matchKeyCount: matchKeyCount(filter),
    target: targetOf(owner, request.target),
    endsAt: endOf(owner, request.expiresAt, now),
    createdAt: at,
    updatedAt: at,
  };
}

const neverMatched = {
  state: 'active',
  matchCount: 0,
  lastMatchedAt: null,
  cancelledAt: null,
  cancelledBy: null,
  cancelReason: null,
  wakeDueAt: null,
  version: 1,
} as const satisfies Partial<EventSubscription>;

/** Digest of the agent's request: a repeat has the same. */
const definitionOf = ({ idempotencyKey: _key, filter, ...request }: SubscriptionRequest): string =>
  hashText(canonicalJson({ ...request, filter: filterFingerprint(filter) }));

function isOwnTarget(
  owner: AgentOwner,
  { sessionId, taskId, agentId }: SubscriptionRequest['target'],
): boolean {
  const isOwn = (asked: string | undefined, own: string | null) => (asked ?? own) === own;
  return (
    isOwn(sessionId, owner.chatId) && isOwn(taskId, owner.taskId) && isOwn(agentId, owner.agentSessionId)
  );
}

const targetOf = (owner: AgentOwner, asked: SubscriptionRequest['target']): DeliveryTarget => ({
  sessionId: asked.sessionId ?? owner.chatId,
  taskId: asked.taskId ?? owner.taskId,
  runtimeId: null,
  agentId: asked.agentId ?? null,
});

function endOf({ tokenEndsAt }: AgentOwner, asked: number | null, now: Date): string {
  const latest = Math.min(tokenEndsAt, now.getTime() + maxLifetimeMs);
  return new Date(Math.max(0, Math.min(asked ?? latest, latest))).toISOString();
}
