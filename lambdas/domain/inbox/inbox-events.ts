import type { LiveEvent } from '../../../protocol/live.js';
import type { Table } from '../../shared/table.js';
import { userTopic } from '../live/topic.js';
import { InboxItem } from './inbox-item.js';
import { inboxView } from './inbox-view.js';
import { countInbox } from './list-inbox.js';

type Row = Readonly<Record<string, unknown>>;

/** The event of a changed item for its person, with the present number. One table call, or none. */
export async function inboxEvents(
  table: Table,
  before: Row | undefined,
  after: Row | undefined,
): Promise<readonly LiveEvent[]> {
  const row = after ?? before;
  if (row?.entity !== 'inbox-item') return [];
  const item = InboxItem.parse(row);
  // The sweep has only checked it.
  if (before && after && before.createdAt === after.createdAt) return [];
  const event = { topic: userTopic(item.userId), count: await countInbox(table, item.userId) };
  return [after ? added(item, event) : resolved(item, event)];
}

interface Counted {
  readonly topic: string;
  readonly count: number;
}

const added = (item: InboxItem, { topic, count }: Counted): LiveEvent => ({
  type: 'inbox.added',
  topic,
  data: { item: inboxView(item), count },
});

const resolved = ({ itemId, kind }: InboxItem, { topic, count }: Counted): LiveEvent => ({
  type: 'inbox.resolved',
  topic,
  data: { itemId, kind, count },
});
