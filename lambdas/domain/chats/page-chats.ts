import { byOwner, type Table } from '../../shared/table.js';
import { type PageRequest, queryFilteredPage, queryPage } from '../cursors/query-page.js';
import { Chat, chatsOfProject } from './chat.js';

interface ChatQuery {
  readonly projectId: string;
  /** Only chats that this member created. */
  readonly userId?: string | undefined;
  readonly status?: Chat['status'] | undefined;
}

/**
 * Newest first. One table call. With a filter, a page may hold fewer chats than its limit and still
 * have a next one: with `status` it reads as many as its limit, with `userId` about a thousand.
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the exits of one loop, which share its state
export async function pageChats(
  table: Table,
  { projectId, userId, status }: ChatQuery,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly chats: readonly Chat[]; readonly nextCursor: string | null }> {
  const partition = chatsOfProject(projectId);
  const filters = [...(userId ? ['userId = :userId'] : []), ...(status ? ['#status = :status'] : [])];
  const query = userId ? queryFilteredPage : queryPage;
  const { items, nextCursor } = await query(
    table,
    {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :partition',
      ExpressionAttributeValues: {
        ':partition': partition,
        ...(userId ? { ':userId': userId } : {}),
        ...(status ? { ':status': status } : {}),
      },
      ...(filters.length > 0 ? { FilterExpression: filters.join(' AND ') } : {}),
      ...(status ? { ExpressionAttributeNames: { '#status': 'status' } } : {}),
      ScanIndexForward: false,
    },
    { ...page, query: `chats ${partition} ${userId ?? ''} ${status ?? ''}` },
  );
  return { chats: items.map((item) => Chat.parse(item)), nextCursor };
}
