import type { Table } from '../../shared/table.js';
import { chatKey } from '../chats/chat.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Prompt, promptPrefix } from './prompt.js';

/** The prompts of a chat, newest first. One table call. */
export async function pageDeliveries(
  table: Table,
  chatId: string,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly prompts: readonly Prompt[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :prompt)',
      ExpressionAttributeValues: { ':chat': chatKey(chatId).pk, ':prompt': promptPrefix },
      ScanIndexForward: false,
      ConsistentRead: true,
    },
    { ...page, query: `deliveries ${chatId}` },
  );
  return { prompts: items.map((item) => Prompt.parse(item)), nextCursor };
}
