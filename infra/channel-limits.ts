import * as z from 'zod/mini';

const upTo = (most: number) => z.optional(z.int().check(z.gte(1), z.lte(most)));

/**
 * The setting `channelLimits`: what differs from the standard. Metadata of an event has 8,192 bytes
 * with the message, and a project has 200 active subscriptions.
 */
export const ChannelLimits = z.strictObject({
  messageBytes: upTo(7_000),
  channels: upTo(10_000),
  pairChannels: upTo(100_000),
  publicationsPerMinute: upTo(10_000),
  matchesPerEvent: upTo(200),
  wakeCooldownMs: upTo(60 * 60_000),
  historyPage: upTo(1_000),
  messageSubscriptions: upTo(200),
  rotationGraceMs: upTo(12 * 60 * 60_000),
});
type ChannelLimits = z.infer<typeof ChannelLimits>;

/** As lambdas/shared/channel-settings.ts reads them. */
const variables = {
  messageBytes: 'PROJECT_EVENT_CHANNEL_MESSAGE_MAX_BYTES',
  channels: 'PROJECT_EVENT_CHANNEL_MAX_CHANNELS',
  pairChannels: 'AGENT_MESSAGE_CHANNEL_MAX_CHANNELS',
  publicationsPerMinute: 'RATE_LIMIT_CHANNEL_PUBLISH',
  matchesPerEvent: 'PROJECT_EVENT_MAX_MATCHES',
  wakeCooldownMs: 'PROJECT_EVENT_WAKE_COOLDOWN_MS',
  historyPage: 'PROJECT_EVENT_CHANNEL_HISTORY_MAX_PAGE',
  messageSubscriptions: 'AGENT_MESSAGE_MAX_ACTIVE_SUBSCRIPTIONS',
  rotationGraceMs: 'AGENT_MESSAGE_SUBSCRIPTION_ROTATION_GRACE_MS',
} as const satisfies Record<keyof ChannelLimits, string>;

export const channelEnvironment = (limits: ChannelLimits): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, variable]) => {
      const value = limits[name as keyof ChannelLimits];
      return value === undefined ? [] : [[variable, String(value)]];
    }),
  );
