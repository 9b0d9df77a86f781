import { channelSettings } from '../../shared/channel-settings.js';
import { wakeLimits } from '../event-wakes/wake-limits.js';

const minute = 60_000;

export const messageLimits = {
  /** Of a project. */
  managedSubscriptions: channelSettings.AGENT_MESSAGE_MAX_ACTIVE_SUBSCRIPTIONS,
  lifetimeMs: 24 * 60 * minute,
  rotationGraceMs: channelSettings.AGENT_MESSAGE_SUBSCRIPTION_ROTATION_GRACE_MS,
  /** From here on another subscription takes new messages; the rest is for those that wait. */
  wakes: wakeLimits.wakes - 10,
  /** A subscription without a message for so long may be released at the limit. */
  idleMs: 10 * minute,
} as const;
