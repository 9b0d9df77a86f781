import { channelSettings } from '../../shared/channel-settings.js';

const hourMs = 60 * 60_000;

export const wakeLimits = {
  /** Of one subscription. */
  wakes: 50,
  /** From the creation of the subscription. */
  lifetimeMs: 24 * hourMs,
  /** Between two wakes of one subscription, and of one chat. */
  cooldownMs: channelSettings.PROJECT_EVENT_WAKE_COOLDOWN_MS,
} as const;
