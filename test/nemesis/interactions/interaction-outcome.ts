import { S3Client } from '@aws-sdk/client-s3';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { inboxPartition } from '../../../lambdas/domain/inbox/inbox-item.js';
import { readChat } from '../../integration/prompts/a-chat.js';
import { wordOf, wordPattern } from '../../support/acp-harness/request-words.js';
import { comes } from './comes.js';
import type { InteractionHistory } from './interaction-history.js';
import type { InteractionPlane } from './interaction-plane.js';
import type { InteractionPump } from './interaction-pump.js';
import type { InteractionTarget, NemesisChat } from './interaction-target.js';
import { Reader } from './readable.js';

/** The state of harness and control plane in the end. */
export async function collect(
  { journal, chats, plane }: InteractionTarget,
  pump: InteractionPump,
  history: InteractionHistory,
): Promise<void> {
  const { asked, decisions } = journal.all;
  history.asked.push(...asked);
  history.decisions.push(...decisions);
  // The stream is a moment behind.
  await comes(async () => (await inInboxes(plane, chats)).size === 0);
  const left = await inInboxes(plane, chats);
  const byWord = new Map(history.requests.map((request) => [wordOf(request), request]));
  for (const { chatId, interactionId, state, answeredAt, endedAt } of await pump.interactions()) {
    const chat = chats.find((one) => one.chatId === chatId);
    const detail = chat && JSON.stringify(await plane.detail({ ...chat, interactionId }));
    const request = byWord.get(detail?.match(wordPattern)?.[0] ?? '');
    if (request === undefined) throw new Error(`The creator does not see the request: ${detail}`);
    const { openInteractions = new Set() } = await readChat(plane.table, chatId);
    history.finals.push({
      ...{ request, interactionId, state },
      answeredAt: millisecondsOf(answeredAt),
      endedAt: millisecondsOf(endedAt),
      isMarked: openInteractions.has(interactionId),
      isInInbox: left.has(interactionId),
    });
  }
}

/** Every row of the table and every object of the emulator. */
export async function search({ table }: InteractionPlane, history: InteractionHistory): Promise<void> {
  const reader = new Reader(new Set(history.requests.map(wordOf)));
  await reader.readTable(table);
  await reader.readObjects(new S3Client({ forcePathStyle: true }));
  history.readable.push(...reader.found);
  Object.assign(history.searched, reader.counts);
}

const millisecondsOf = (time: string | undefined): number | null =>
  time === undefined ? null : Date.parse(time);

/** Ids of interactions in the inboxes of these people. */
async function inInboxes(
  { table }: InteractionPlane,
  chats: readonly NemesisChat[],
): Promise<ReadonlySet<string>> {
  const all = chats.map(({ userId }) =>
    table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': inboxPartition(userId) },
        ConsistentRead: true,
      }),
    ),
  );
  const pages = await Promise.all(all);
  return new Set(pages.flatMap(({ Items = [] }) => Items.map((item) => String(item.interactionId))));
}
