// GET /api/projects/{projectId}/event-channels
import { channelView } from '../../domain/event-channels/channel.js';
import { listChannels } from '../../domain/event-channels/list-channels.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { list } from './contract.js';

export const handler = capabilityRoute(list, async ({ params, query, user, table }) => {
  const page = { ...query, cursorKey: user.cursorKey };
  const { channels, nextCursor } = await listChannels(table, params.projectId, page);
  return { status: 200, body: { channels: channels.map(channelView), nextCursor } };
});
