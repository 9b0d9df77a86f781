import * as z from 'zod/mini';
import { catchUpChannel, longestCatchUpPage } from '../../event-channels/catch-up.js';
import { followView } from '../../event-channels/follow-view.js';
import { limitOf, subscriptionId } from '../arguments.js';
import { ownedByCaller } from '../event-owner.js';
import { tool } from '../tool.js';

export const catchUpEventChannel = tool({
  name: 'catch_up_event_channel',
  description:
    'Add the next messages up to the watermark of follow_event_channel to the events of your subscription. Repeat until hasMore is false, then read them with list_subscription_events; later messages are added without a call. Fails with CHANNEL_CATCH_UP_EXPIRED an hour after the follow, and with CHANNEL_RETENTION_GAP when messages were deleted: read the history and follow again with a new key. Repeating the call continues; when all are added it changes nothing.',
  policy: {
    equals: 'none',
    reason: 'Changes a subscription of the calling session only',
    capability: 'task:write',
  },
  needsTask: true,
  args: z.strictObject({
    subscriptionId,
    limit: limitOf(longestCatchUpPage, longestCatchUpPage),
  }),
  handle: async (asked, { caller, table, now }) =>
    followView(await catchUpChannel(table, { ...asked, ...ownedByCaller(caller), now }), now),
});
