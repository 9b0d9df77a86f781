import type { Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Message, type MessageRole, messageSk } from './message.js';

export interface MessageQuery {
  readonly chatId: string;
  /** Sequences between these, both left out. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly roles?: readonly MessageRole[] | undefined;
  readonly order: 'asc' | 'desc';
}

const lastSequence = 999_999_999_999;

/**
 * Messages by their place in the chat. One table call, whatever the number of messages; with `roles` a page may hold fewer
 * than its limit, or none, and still have a next one.
 */
export async function pageMessages(
  table: Table,
  { chatId, after = 0, before = lastSequence, roles, order }: MessageQuery,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly messages: readonly Message[]; readonly nextCursor: string | null }> {
  // The range would be the wrong way round, which the table takes for a mistake.
  if (before - after < 2) return { messages: [], nextCursor: null };
  const named = (roles ?? []).map((role, index) => [`:role${index}`, role] as const);
  const { items, nextCursor } = await queryPage(
    table,
    {
      KeyConditionExpression: 'pk = :chat AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':chat': `CHAT#${chatId}`,
        ':first': messageSk(after + 1),
        ':last': messageSk(before - 1),
        ...Object.fromEntries(named),
      },
      ...(named.length > 0
        ? {
            FilterExpression: `#role IN (${named.map(([name]) => name).join(', ')})`,
            ExpressionAttributeNames: { '#role': 'role' },
          }
        : {}),
      ScanIndexForward: order === 'asc',
      ConsistentRead: true,
    },
    { ...page, query: `messages of ${chatId} ${after} ${before} ${roles?.join() ?? ''} ${order}` },
  );
  return { messages: items.map((item) => Message.parse(item)), nextCursor };
}
