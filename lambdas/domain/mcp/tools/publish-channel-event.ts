import * as z from 'zod/mini';
import { channelView } from '../../event-channels/channel.js';
import { channelLimits } from '../../event-channels/channel-limits.js';
import { publish } from '../../event-channels/publish.js';
import { eventSummary } from '../../project-events/event-view.js';
import { rateLimits } from '../../rate-limits/rate-limits.js';
import { bytesUpTo, inDigits, requiredKey } from '../arguments.js';
import { channelActor } from '../channel-actor.js';
import { channelName } from '../channel-arguments.js';
import { tool } from '../tool.js';

export const publishChannelEvent = tool({
  name: 'publish_channel_event',
  description: `Publish a message on an event channel of the project. The first publication creates the channel. Every member and agent of the project can read the channel; followers get the message as an event. Returns outcome (created or duplicate_replay), event, channel and sequence, which counts the publications of the channel. Limits: ${inDigits(channelLimits.messageBytes)} bytes of UTF-8, ${inDigits(rateLimits.CHANNEL_PUBLISH.limit)} publications of a project in a minute (RATE_LIMIT_EXCEEDED), ${inDigits(channelLimits.ordinary)} channels. Repeating the call with the same idempotencyKey and message returns the first publication for 30 days; another message fails with CONFLICT.`,
  policy: {
    equals: 'none',
    reason: 'Publishes in the name of the calling session; people do not publish',
    capability: 'task:write',
  },
  args: z.strictObject({
    channel: channelName,
    message: bytesUpTo(channelLimits.messageBytes, 'Text of the message.'),
    idempotencyKey: requiredKey('Identifies the publication of your session on this channel.'),
  }),
  handle: async ({ channel: name, message, idempotencyKey }, { caller, table, newId, now }) => {
    const { projectId } = caller.token;
    const draft = { projectId, name, message, idempotencyKey, actor: channelActor(caller) };
    const { outcome, event, channel, sequence } = await publish(table, { draft, newId, now });
    return { outcome, event: eventSummary(event), channel: channel ? channelView(channel) : null, sequence };
  },
});
