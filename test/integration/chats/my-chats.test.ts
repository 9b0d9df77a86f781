import { expect, it } from 'vitest';
import { pageChats } from '../../../lambdas/domain/chats/page-chats.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { countCalls } from '../../support/count-calls.js';
import { sharedTable } from '../../support/table.js';
import { putChat } from '../prompts/a-chat.js';

const table = sharedTable();
const calls = countCalls(table.client);

/** One's own chats in a project in which others have begun as many; newest first. */
async function project(mine: number, overrides: { readonly topic?: string } = {}) {
  const [projectId, userId] = [newId(), newId()];
  const ids: string[] = [];
  for (let count = 0; count < mine; count += 1) {
    await putChat(table, { projectId, ...overrides });
    ids.unshift((await putChat(table, { projectId, userId, ...overrides })).chatId);
  }
  return { projectId, userId, ids };
}

/** The ids of each page, to the last one. */
async function walk(query: Parameters<typeof pageChats>[1], limit: number) {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    calls.reset();
    const { chats, nextCursor } = await pageChats(table, query, { limit, cursor, cursorKey: 'key' });
    expect(calls.names).toEqual(['QueryCommand']);
    pages.push(chats.map(({ chatId }) => chatId));
    cursor = nextCursor ?? undefined;
  } while (cursor);
  return pages;
}

it('pages of one’s own chats are full, whatever others have begun between them', async () => {
  const { ids, ...mine } = await project(5);

  expect(await walk(mine, 2)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  expect(await walk(mine, 5)).toEqual([ids]);
});

it('a page of one’s own chats goes on where one call has read as much as it may', async () => {
  const { ids, ...mine } = await project(8, { topic: 'x'.repeat(300_000) });

  const pages = await walk(mine, 7);

  expect(pages.flat()).toEqual(ids);
  // A call ends near 1 MB of items, and may contain the one that passes it.
  expect(pages[0]?.length).toBeLessThan(7);
});
