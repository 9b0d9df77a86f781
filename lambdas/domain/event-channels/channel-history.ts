import type { Table } from '../../shared/table.js';
import { eventSummary } from '../project-events/event-view.js';
import type { Channel } from './channel.js';
import { historyCursor, openHistoryCursor } from './history-cursor.js';
import { fitPage, readHistory } from './read-history.js';

interface HistoryRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Of the answer. */
  readonly maxBytes: number;
  readonly now: Date;
}

/**
 * A page of a channel's history in the order of publication. The first page fixes the watermark:
 * later publications are for a follower. The cursor of the last page is where a follower begins.
 * One table call.
 *
 * @throws {invalidHistoryCursor | historyCursorExpired}
 */
export async function channelHistory(table: Table, channel: Channel, asked: HistoryRequest) {
  const { limit, cursor, maxBytes, now } = asked;
  const window = openHistoryCursor(channel, cursor, now);
  const page = await readHistory(table, { channelId: channel.channelId, limit, now }, window);
  const { publications, through, hasMore, retentionGap } = fitPage(page, window, maxBytes);
  return {
    channel: channel.name,
    events: publications.map(({ sequence, event }) => ({ sequence, event: eventSummary(event) })),
    cursor: historyCursor(channel, { after: through, until: window.until }, now),
    hasMore,
    watermark: window.until,
    retentionGap,
  };
}
