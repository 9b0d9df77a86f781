import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { fitAnswer } from '../cursors/fit-answer.js';
import type { HistoryWindow } from './history-cursor.js';
import { Publication, publicationSk, publicationsOf } from './publication.js';

export interface HistoryPage {
  readonly publications: readonly Publication[];
  /** Up to here the page has all that is kept. */
  readonly through: number;
  readonly hasMore: boolean;
  /** Publications of this page were deleted at the end of their retention. */
  readonly retentionGap: boolean;
}

interface PageOf {
  readonly channelId: string;
  readonly limit: number;
  readonly now: Date;
}

/** The publications of a window that are kept, oldest first. One table call. */
export async function readHistory(
  table: Table,
  { channelId, limit, now }: PageOf,
  { after, until }: HistoryWindow,
): Promise<HistoryPage> {
  if (after >= until) return pageOf([], { after: until, through: until, until });
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :channel AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':channel': publicationsOf(channelId),
        ':first': publicationSk(after + 1),
        ':last': publicationSk(until),
      },
      Limit: limit,
      ConsistentRead: true,
    }),
  );
  const read = Items.map((item) => ({ ...Publication.parse(item), expiresAt: Number(item.expiresAt) }));
  const through = LastEvaluatedKey ? (read.at(-1)?.sequence ?? until) : until;
  // DynamoDB deletes items some time after their end.
  const publications = read.filter(({ expiresAt }) => expiresAt * 1_000 > now.getTime());
  return pageOf(publications, { after, through, until });
}

/** As much of a page as an answer of this size holds. */
export function fitPage(page: HistoryPage, { after, until }: HistoryWindow, maxBytes: number): HistoryPage {
  const publications = fitAnswer(page.publications, maxBytes);
  const last = publications.at(-1);
  if (!last || publications.length === page.publications.length) return page;
  return pageOf(publications, { after, through: last.sequence, until });
}

const pageOf = (
  publications: readonly Publication[],
  { after, through, until }: HistoryWindow & { readonly through: number },
): HistoryPage => ({
  publications,
  through,
  hasMore: through < until,
  retentionGap: publications.length < through - after,
});
