import { channelSettings } from '../../shared/channel-settings.js';

const minute = 60_000;
const day = 24 * 60 * minute;

export const channelLimits = {
  messageBytes: channelSettings.PROJECT_EVENT_CHANNEL_MESSAGE_MAX_BYTES,
  /** Of a project, without pair channels. */
  ordinary: channelSettings.PROJECT_EVENT_CHANNEL_MAX_CHANNELS,
  /** Of a project. */
  pair: channelSettings.AGENT_MESSAGE_CHANNEL_MAX_CHANNELS,
  historyPage: Math.min(50, channelSettings.PROJECT_EVENT_CHANNEL_HISTORY_MAX_PAGE),
  longestHistoryPage: channelSettings.PROJECT_EVENT_CHANNEL_HISTORY_MAX_PAGE,
  /** A follower has as long to catch up. */
  cursorMs: 60 * minute,
  /** How long a publication is kept. */
  retentionMs: 30 * day,
  /** How long a channel without publications stays in the catalog. */
  idleMs: 30 * day,
} as const;
