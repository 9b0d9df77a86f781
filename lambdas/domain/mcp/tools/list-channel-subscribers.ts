import * as z from 'zod/mini';
import { listSubscribers } from '../../event-channels/list-subscribers.js';
import { subscriberView } from '../../event-channels/subscriber-view.js';
import { subscriptionStates } from '../../event-subscriptions/event-subscription.js';
import { limitOf } from '../arguments.js';
import { channelCursor, readableChannelName } from '../channel-arguments.js';
import { tool } from '../tool.js';

export const listChannelSubscribers = tool({
  name: 'list_channel_subscribers',
  description:
    'List the subscriptions of the project that select the messages of an event channel, of all owners and including broad ones. Returns subscribers (subscriptionId, ownerType, ownerId, ownerName, targetSessionId, targetTaskId, targetRuntimeId, targetAgentId, state, expiresAt, createdAt) and nextCursor, also when a page is empty. A cursor works for the same channel and state only; pages show the present state. A subscription does not prove that its owner reads. Changes nothing.',
  policy: { equals: ['eventSubscription.read'] },
  needsTask: true,
  isReadOnly: true,
  args: z.strictObject({
    channel: readableChannelName,
    state: z._default(
      z
        .enum([...subscriptionStates, 'any'])
        .check(z.describe('State of the subscriptions. Default: active.')),
      'active',
    ),
    limit: limitOf(200, 50),
    cursor: channelCursor('nextCursor of an earlier page. Default: the first page.'),
  }),
  handle: async ({ channel: name, ...query }, { caller: { token }, table, now }) => {
    const { projectId, tokenHash: cursorKey } = token;
    const page = await listSubscribers(table, { ...query, projectId, name, cursorKey, now });
    return { subscribers: page.subscribers.map(subscriberView), nextCursor: page.nextCursor };
  },
});
