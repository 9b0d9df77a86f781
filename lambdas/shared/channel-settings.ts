import * as z from 'zod/mini';
import { readEnv } from './env.js';

const count = (standard: number) => z._default(z.coerce.number().check(z.int()), standard);

/** Limits of event channels and their wakes that a deployment can set (infra/channel-limits.ts). */
export const channelSettings = readEnv({
  PROJECT_EVENT_CHANNEL_MESSAGE_MAX_BYTES: count(4_096),
  /** Of a project, without pair channels. */
  PROJECT_EVENT_CHANNEL_MAX_CHANNELS: count(128),
  PROJECT_EVENT_CHANNEL_HISTORY_MAX_PAGE: count(200),
  PROJECT_EVENT_MAX_MATCHES: count(100),
  /** Between two wakes of one subscription, and of one chat. */
  PROJECT_EVENT_WAKE_COOLDOWN_MS: count(30_000),
  /** In a minute, of a project. */
  RATE_LIMIT_CHANNEL_PUBLISH: count(120),
  /** Of a project. */
  AGENT_MESSAGE_CHANNEL_MAX_CHANNELS: count(1_024),
  /** Of a project. */
  AGENT_MESSAGE_MAX_ACTIVE_SUBSCRIPTIONS: count(100),
  AGENT_MESSAGE_SUBSCRIPTION_ROTATION_GRACE_MS: count(300_000),
});
