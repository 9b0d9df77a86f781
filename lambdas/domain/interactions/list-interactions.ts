import { interactionLimits } from '../../../protocol/interactions.js';
import { byOwner, type Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Interaction, interactionsOf, shownState } from './interaction.js';

/** All that may be pending, and the last twenty of the others. */
const pageSize = interactionLimits.pendingPerSession + 20;

interface InteractionPage {
  readonly pending: readonly Interaction[];
  readonly settled: readonly Interaction[];
  readonly nextCursor: string | null;
}

/** The interactions of a chat: what waits first, then the newest end first. One table call. */
export async function listInteractions(
  table: Table,
  chatId: string,
  { now, ...page }: Omit<PageRequest, 'query' | 'limit'> & { readonly now: Date },
): Promise<InteractionPage> {
  const partition = interactionsOf(chatId);
  const { items, nextCursor } = await queryPage(
    table,
    {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :partition',
      ExpressionAttributeValues: { ':partition': partition },
      ScanIndexForward: false,
    },
    { ...page, limit: pageSize, query: `interactions ${partition}` },
  );
  const all = items.map((item) => Interaction.parse(item));
  const waits = (interaction: Interaction) => shownState(interaction, now) === 'pending';
  return { pending: all.filter(waits), settled: all.filter((each) => !waits(each)), nextCursor };
}
