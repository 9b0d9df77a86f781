import * as z from 'zod/mini';
import { channelView } from '../../event-channels/channel.js';
import { listChannels } from '../../event-channels/list-channels.js';
import { limitOf } from '../arguments.js';
import { channelCursor } from '../channel-arguments.js';
import { tool } from '../tool.js';

export const listEventChannels = tool({
  name: 'list_event_channels',
  description:
    'List the event channels of the project by name. lifetimeCount counts all publications of a channel, also those that were deleted after 30 days. Names that begin with agent-dm. are messages between two agents. Pass nextCursor to continue. Changes nothing.',
  policy: { equals: ['eventChannel.list'] },
  isReadOnly: true,
  args: z.strictObject({
    limit: limitOf(200, 50),
    cursor: channelCursor('nextCursor of an earlier page. Default: the first page.'),
  }),
  handle: async (page, { caller: { token }, table }) => {
    const { projectId, tokenHash: cursorKey } = token;
    const { channels, nextCursor } = await listChannels(table, projectId, { ...page, cursorKey });
    return { channels: channels.map(channelView), nextCursor };
  },
});
