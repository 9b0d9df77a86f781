import type { MessageRole } from '../../../protocol/chat-messages.js';
import type { Table } from '../../shared/table.js';
import { sealCursor } from '../cursors/cursor.js';
import { fitAnswer } from '../cursors/fit-answer.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Message, messageKey, messageSk } from './message.js';

interface MessageQuery {
  readonly chatId: string;
  /** Exclusive bounds. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly roles?: readonly MessageRole[] | undefined;
  readonly order: 'asc' | 'desc';
}

const lastSequence = 999_999_999_999;

/**
 * Messages by sequence. One table call. A page of long messages holds fewer than its limit and
 * still has a next one; with `roles` it may hold none.
 */
export async function pageMessages(
  table: Table,
  { chatId, after = 0, before = lastSequence, roles, order }: MessageQuery,
  request: Omit<PageRequest, 'query'>,
): Promise<{ readonly messages: readonly Message[]; readonly nextCursor: string | null }> {
  // The range would be the wrong way round, which the table takes for a mistake.
  if (before - after < 2) return { messages: [], nextCursor: null };
  const query = `messages of ${chatId} ${after} ${before} ${roles?.join() ?? ''} ${order}`;
  const page = { ...request, query };
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
    page,
  );
  const found = items.map((item) => Message.parse(item));
  const messages = fitAnswer(found);
  const last = messages.at(-1);
  if (!last || messages.length === found.length) return { messages, nextCursor };
  return { messages, nextCursor: sealCursor(page, messageKey(chatId, last.sequence)) };
}
