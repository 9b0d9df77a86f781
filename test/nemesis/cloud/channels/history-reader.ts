import * as z from 'zod/mini';
import type { Random } from '../../agent/random.js';
import type { ChannelHistory, Shown } from './channel-history.js';
import { expectResult, type ToolClient } from './tool-client.js';

const Page = z.object({
  events: z.array(
    z.object({
      sequence: z.number(),
      event: z.object({
        id: z.string(),
        receivedAt: z.number(),
        metadata: z.object({
          message: z.string(),
          actor: z.object({ chatSessionId: z.string() }),
        }),
      }),
    }),
  ),
  cursor: z.string(),
  hasMore: z.boolean(),
  watermark: z.number(),
  retentionGap: z.boolean(),
});

interface Reader {
  readonly client: ToolClient;
  readonly history: ChannelHistory;
  readonly random: Random;
}

export interface ReadHistory {
  readonly shown: readonly Shown[];
  /** Where a follower can begin. */
  readonly cursor: string;
}

/**
 * Reads a channel while others publish, to its watermark or so many pages. Undefined when there is
 * no such channel yet.
 */
export async function readHistory(
  { client, history, random }: Reader,
  channel: string,
  pages = Number.POSITIVE_INFINITY,
): Promise<ReadHistory | undefined> {
  const shown: Shown[] = [];
  let cursor: string | undefined;
  let retentionGap = false;
  for (let page = 1; ; page += 1) {
    const limit = random.between(1, 100);
    const args = { channel, limit, ...(cursor === undefined ? {} : { cursor }) };
    const answer = await client.call('get_channel_history', args);
    if (answer.refused === 'NOT_FOUND') return undefined;
    const read = expectResult(Page, answer);
    for (const { sequence, event } of read.events) {
      const { message, actor } = event.metadata;
      const { id: eventId, receivedAt } = event;
      shown.push({ channel, sequence, eventId, message, publisher: actor.chatSessionId, receivedAt });
    }
    retentionGap ||= read.retentionGap;
    cursor = read.cursor;
    if (!read.hasMore) {
      const sequences = shown.map(({ sequence }) => sequence);
      history.readings.push({ channel, watermark: read.watermark, sequences, retentionGap });
    }
    if (!read.hasMore || page >= pages) return { shown, cursor };
  }
}
