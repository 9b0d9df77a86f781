import type { Chat, chatStatuses } from '../chats/chat.js';
import type { EventMatch } from '../event-subscriptions/event-match.js';
import { type EventSubscription, effectiveState } from '../event-subscriptions/event-subscription.js';
import { maxQueuedPrompts } from '../prompts/prompt.js';
import { wakeLimits } from './wake-limits.js';
import type { WakeTarget } from './wake-target.js';

/** A subscription whose matches wait, and all that decides about its wake, as just read. */
export interface WakeSituation {
  readonly subscription: EventSubscription;
  readonly matches: readonly EventMatch[];
  readonly chat: Chat | undefined;
  readonly target: WakeTarget | undefined;
  /** Its task is there, and the person of the chat may prompt it now. */
  readonly isAllowed: boolean;
}

/** Why matches are not delivered. docs/event-wakes.md explains each. */
export type CloseReason =
  | 'subscription_cancelled'
  | 'subscription_expired'
  | 'lifetime_ended'
  | 'wakes_used'
  | 'chat_ended'
  | 'not_eligible';

export type WakePlan =
  /** No match waits. */
  | { readonly do: 'rest' }
  | { readonly do: 'close'; readonly to: EventMatch['state']; readonly reason: CloseReason }
  /** The owner has lost its rights: the subscription is cancelled. */
  | { readonly do: 'cancel' }
  | { readonly do: 'defer'; readonly until: string }
  | { readonly do: 'wake'; readonly chat: Chat };

/** Decides the next step for a subscription that is due. */
export function planWake(situation: WakeSituation, now: Date): WakePlan {
  const { subscription, matches, chat, isAllowed } = situation;
  if (matches.length === 0) return { do: 'rest' };
  const end = endOf(subscription, now) ?? exhaustionOf(subscription, chat);
  if (end) return end;
  if (!chat || !isAwakeable(chat)) return notInjected('chat_ended');
  if (!isAllowed) return { do: 'cancel' };
  const until = obstacleUntil({ ...situation, chat }, now);
  return until > now.toISOString() ? { do: 'defer', until } : { do: 'wake', chat };
}

const notInjected = (reason: CloseReason): WakePlan => ({ do: 'close', to: 'recorded_not_injected', reason });

function endOf(subscription: EventSubscription, now: Date): WakePlan | undefined {
  const { state, createdAt } = subscription;
  if (state === 'cancelled') return { do: 'close', to: 'cancelled', reason: 'subscription_cancelled' };
  if (effectiveState(subscription, now) === 'expired')
    return { do: 'close', to: 'expired', reason: 'subscription_expired' };
  const hasLived = now.getTime() - Date.parse(createdAt) >= wakeLimits.lifetimeMs;
  return hasLived ? { do: 'close', to: 'expired', reason: 'lifetime_ended' } : undefined;
}

function exhaustionOf(subscription: EventSubscription, chat: Chat | undefined): WakePlan | undefined {
  if (!isEligible(subscription)) return notInjected('not_eligible');
  if (chat && !isAwakeable(chat)) return notInjected('chat_ended');
  return (subscription.wakeCount ?? 0) >= wakeLimits.wakes ? notInjected('wakes_used') : undefined;
}

/** An agent of a task that subscribes for its own chat. */
const isEligible = (subscription: EventSubscription): boolean =>
  subscription.owner.type === 'agent' &&
  subscription.resolvedDelivery === 'queued_for_prompt_delivery' &&
  subscription.ownerChatId !== null &&
  subscription.ownerTaskId !== null &&
  subscription.ownerUserId !== null &&
  subscription.target.sessionId === subscription.ownerChatId;

const awakeable: readonly (typeof chatStatuses)[number][] = ['active', 'sleeping'];

const isAwakeable = ({ status, shutdownId }: Chat): boolean =>
  shutdownId === undefined && awakeable.includes(status);

/** Until when the wake has to wait; a time that has passed if nothing hinders it. */
function obstacleUntil(
  { subscription, target, chat }: WakeSituation & { readonly chat: Chat },
  now: Date,
): string {
  const isBusy = target?.batchId != null || chat.queuedPrompts >= maxQueuedPrompts;
  const later = isBusy ? afterCooldown(now) : '';
  return [subscription.wakeCooldownUntil ?? '', target?.cooldownUntil ?? '', later].toSorted().at(-1) ?? '';
}

export const afterCooldown = (now: Date): string =>
  new Date(now.getTime() + wakeLimits.cooldownMs).toISOString();
