import type { Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Channel, catalogOf } from './channel.js';

type Asked = Omit<PageRequest, 'query'>;

/** The catalog of a project by name. One table call. */
export async function listChannels(table: Table, projectId: string, page: Asked) {
  const { items, nextCursor } = await queryPage(
    table,
    {
      KeyConditionExpression: 'pk = :catalog',
      ExpressionAttributeValues: { ':catalog': catalogOf(projectId) },
      ConsistentRead: true,
    },
    { ...page, query: `channels of ${projectId}` },
  );
  return { channels: items.map((item) => Channel.parse(item)), nextCursor };
}
