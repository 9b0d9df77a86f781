import type { Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { eventPrefix, eventsOfTask, TaskEvent } from './task-event.js';

/** Newest first. One table call. */
export async function pageEvents(
  table: Table,
  taskId: string,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly events: readonly TaskEvent[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      KeyConditionExpression: 'pk = :task AND begins_with(sk, :events)',
      ExpressionAttributeValues: { ':task': eventsOfTask(taskId), ':events': eventPrefix },
      ScanIndexForward: false,
      ConsistentRead: true,
    },
    { ...page, query: `events of ${taskId}` },
  );
  return { events: items.map((item) => TaskEvent.parse(item)), nextCursor };
}
