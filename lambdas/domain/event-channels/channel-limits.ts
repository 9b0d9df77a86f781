const minute = 60_000;
const day = 24 * 60 * minute;

export const channelLimits = {
  /** PROJECT_EVENT_CHANNEL_MESSAGE_MAX_BYTES */
  messageBytes: 4_096,
  /** Of a project, without pair channels. */
  ordinary: 128,
  /** AGENT_MESSAGE_CHANNEL_MAX_CHANNELS, of a project. */
  pair: 1_024,
  historyPage: 50,
  longestHistoryPage: 200,
  /** A follower has as long to catch up. */
  cursorMs: 60 * minute,
  /** How long a publication is kept. */
  retentionMs: 30 * day,
  /** How long a channel without publications stays in the catalog. */
  idleMs: 30 * day,
} as const;
