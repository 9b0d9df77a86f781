import * as z from 'zod/mini';
import { followChannel } from '../../event-channels/follow-channel.js';
import { followView } from '../../event-channels/follow-view.js';
import { maxReasonBytes, SubscriptionKey } from '../../event-subscriptions/event-subscription.js';
import { bytesUpTo } from '../arguments.js';
import { channelCursor, channelName } from '../channel-arguments.js';
import { eventOwner } from '../event-owner.js';
import { tool } from '../tool.js';

export const followEventChannel = tool({
  name: 'follow_event_channel',
  description:
    'Subscribe your session to an event channel. Without cursor you get the messages that are published from now on. With the last cursor of get_channel_history you continue where you stopped: while hasMore is true, call catch_up_event_channel within an hour. Read the messages with list_subscription_events and acknowledge each with ack_event_delivery. requestedDelivery record_only (default) only records; existing_session_prompt also sends you a prompt, but never for your own messages, see wakeInstructions. The subscription ends with your token or after 24 hours at the latest. Limit: 200 active subscriptions of a project (EVENT_CAPACITY). Repeating the call with the same idempotencyKey and arguments returns the same subscription with its first watermark and times; other arguments fail with IDEMPOTENCY_KEY_REUSED.',
  policy: {
    equals: 'none',
    reason: 'Subscribes the session of the caller; people have no subscriptions that they create',
    capability: 'task:write',
  },
  needsTask: true,
  args: z.strictObject({
    channel: channelName,
    idempotencyKey: SubscriptionKey.check(
      z.describe(
        'Identifies the subscription in your session. Choose 1 to 128 letters, digits and ._:- that begin with a letter or digit.',
      ),
    ),
    cursor: channelCursor('The last cursor of get_channel_history for this channel.'),
    requestedDelivery: z._default(
      z
        .enum(['record_only', 'existing_session_prompt'])
        .check(
          z.describe(
            'record_only (default): only recorded. existing_session_prompt: a prompt in your session.',
          ),
        ),
      'record_only',
    ),
    reason: z.optional(bytesUpTo(maxReasonBytes, 'Why you follow, for people.')),
    expiresAt: z.optional(
      z
        .int()
        .check(z.describe('End, in epoch milliseconds. Default, and the latest: the end of your token.')),
    ),
  }),
  handle: async (asked, { caller, table, now, isEventWakeEnabled: isWakeEnabled }) => {
    const { channel: name, cursor, reason = null, expiresAt = null, ...request } = asked;
    const owner = eventOwner(caller, now);
    const following = await followChannel(
      table,
      { ...request, owner, name, cursor, reason, expiresAt },
      { isWakeEnabled, now },
    );
    return followView(following, now);
  },
});
