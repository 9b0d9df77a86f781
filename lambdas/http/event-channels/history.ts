// GET /api/projects/{projectId}/event-channels/{channel}/history
import { channelKey } from '../../domain/event-channels/channel.js';
import { channelHistory } from '../../domain/event-channels/channel-history.js';
import { ChannelName } from '../../domain/event-channels/channel-name.js';
import { channelOf } from '../../domain/event-channels/find-channel.js';
import { recordRoute } from '../../edge/capability-route.js';
import { pathId } from '../../edge/parse-request.js';
import { history } from './contract.js';

/** Less than what a function can answer. */
const maxBytes = 4 * 1_024 ** 2;

export const handler = recordRoute(
  history,
  {
    keys: (event) => [
      channelKey({
        projectId: pathId(event, 'projectId'),
        name: pathId(event, 'channel', ChannelName),
      }),
    ],
    read: (found) => ({ channel: channelOf(found) }),
  },
  async ({ channel, query, table, now }) => ({
    status: 200,
    body: await channelHistory(table, channel, { ...query, maxBytes, now }),
  }),
);
