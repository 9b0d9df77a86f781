import { byOwner, byParent, type Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Chat, chatsOfMember, chatsOfProject } from './chat.js';

export interface ChatQuery {
  readonly projectId: string;
  /** Only those that this member began. */
  readonly userId?: string | undefined;
  readonly status?: Chat['status'] | undefined;
}

/** Newest first. One table call; with `status` a page may hold fewer than its limit and still have a next one. */
export async function pageChats(
  table: Table,
  { projectId, userId, status }: ChatQuery,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly chats: readonly Chat[]; readonly nextCursor: string | null }> {
  const [IndexName, attribute, partition] = userId
    ? [byParent, 'parentPk', chatsOfMember(projectId, userId)]
    : [byOwner, 'ownerPk', chatsOfProject(projectId)];
  const { items, nextCursor } = await queryPage(
    table,
    {
      IndexName,
      KeyConditionExpression: `${attribute} = :partition`,
      ExpressionAttributeValues: { ':partition': partition, ...(status ? { ':status': status } : {}) },
      ...(status
        ? { FilterExpression: '#status = :status', ExpressionAttributeNames: { '#status': 'status' } }
        : {}),
      ScanIndexForward: false,
    },
    { ...page, query: `chats ${partition} ${status ?? ''}` },
  );
  return { chats: items.map((item) => Chat.parse(item)), nextCursor };
}
