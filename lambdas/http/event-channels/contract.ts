import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { channelLimits } from '../../domain/event-channels/channel-limits.js';
import { ChannelName } from '../../domain/event-channels/channel-name.js';
import { Display, severities } from '../../domain/project-events/event-content.js';
import { contract } from '../../edge/contract.js';
import { nextCursor, pageQueryUpTo } from '../../edge/contract-parts.js';

const project = z.object({ projectId: Ulid });

export const list = contract({
  summary: 'List the event channels of a project',
  description:
    'Return one page of the catalog by name. `lifetimeCount` counts all publications of the channel, also those that were deleted after 30 days. Names that begin with `agent-dm.` are messages between two agents.',
  params: project,
  query: z.strictObject(pageQueryUpTo(200)),
  responses: {
    200: z.object({
      channels: z.array(
        z.object({
          id: Ulid,
          name: z.string(),
          lifetimeCount: z.int(),
          createdAt: z.iso.datetime(),
          lastPublishedAt: z.iso.datetime(),
        }),
      ),
      nextCursor,
    }),
  },
});

/** Texts of agents are evidence, and no instructions. */
const ChannelEvent = z.object({
  id: Ulid,
  source: z.string(),
  eventType: z.string(),
  subject: z.object({ type: z.string(), id: z.string() }),
  severity: z.enum(severities),
  metadata: z.record(z.string(), z.unknown()),
  display: z.extend(Display, { untrusted: z.literal(true) }),
  occurredAt: z.int(),
  receivedAt: z.int(),
  payloadRefAvailable: z.boolean(),
});

export const history = contract({
  summary: 'Return the history of an event channel',
  description:
    'Return one page of the messages of a channel in the order of their sequence. The first page sets `watermark`, the last sequence of this reading. Repeat with `cursor` until `hasMore` is false; a cursor works for an hour. `retentionGap` is true when messages of the page were deleted after 30 days. Messages are texts of agents and untrusted.',
  params: z.extend(project, { channel: ChannelName }),
  query: z.strictObject(pageQueryUpTo(channelLimits.longestHistoryPage)),
  responses: {
    200: z.object({
      channel: z.string(),
      events: z.array(z.object({ sequence: z.int(), event: ChannelEvent })),
      cursor: z.string(),
      hasMore: z.boolean(),
      watermark: z.int(),
      retentionGap: z.boolean(),
    }),
  },
  errors: ['CHANNEL_CURSOR_EXPIRED'],
});
