import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { messageItem } from '../../../lambdas/domain/chats/message.js';
import { messageRoles } from '../../../protocol/chat-messages.js';
import { countReads, type ReadCount } from '../../support/count-reads.js';
import { Conversation } from './a-conversation.js';

/** `CHAT_MESSAGES=100000` is the limit of a chat; the emulator takes minutes to store that many. */
const many = Number(process.env.CHAT_MESSAGES ?? 2_500);
const few = 100;
const atOnce = 25;
let conversation: Conversation;
let reads: ReadCount;
let long: string;
let short: string;

beforeAll(async () => {
  conversation = await Conversation.start(['chats/messages', 'chats/get']);
  long = await chatOf(many);
  short = await chatOf(few);
  reads = countReads(conversation.table.client);
}, 600_000);

/** A chat with this many messages, roles in turn. */
async function chatOf(count: number): Promise<string> {
  const { client, name } = conversation.table;
  const chatId = await conversation.begin({ lastSequence: count, messageCount: count });
  const { projectId } = conversation.as.project;
  const message = (sequence: number) =>
    messageItem({
      ...{ chatId, projectId, sequence, messageId: `m-${sequence}` },
      role: messageRoles[sequence % messageRoles.length] ?? 'user',
      ...{ content: `message ${sequence}`, toolMetadata: null, origin: null },
      createdAt: '2026-11-21T10:00:00.000Z',
    });
  for (let first = 1; first <= count; first += atOnce) {
    const puts = Array.from({ length: atOnce }, (_, at) => ({ PutRequest: { Item: message(first + at) } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [name]: puts } }));
  }
  return chatId;
}

async function page(sessionId: string, query: Record<string, string>) {
  reads.reset();
  const { body } = await conversation.ask('chats/messages', sessionId, { query: { limit: '50', ...query } });
  const sequences = body.messages.map(({ sequence }) => sequence);
  return {
    calls: conversation.calls.names.length,
    items: reads.items,
    first: sequences[0],
    count: sequences.length,
  };
}

const half = String(many / 2);
const pages: readonly (readonly [string, Record<string, string>, number])[] = [
  ['the newest', { order: 'desc' }, many],
  ['the oldest', { order: 'asc' }, 1],
  ['what comes after the middle', { after: half }, many / 2 + 1],
  ['what comes before the middle', { before: half, order: 'desc' }, many / 2 - 1],
];

it.each(pages)('reads no more items of a long chat than of a short one: %s', async (_, query, first) => {
  const inMany = await page(long, query);
  const inFew = await page(short, { order: query.order ?? 'asc' });

  expect(inMany).toEqual({ calls: 2, items: 50, count: 50, first });
  expect(inFew).toMatchObject({ calls: 2, items: 50, count: 50 });
});

it('reads no more for requested roles, and finds them page by page', async () => {
  const found = await page(long, { roles: 'tool,plan', after: half });

  expect(found).toMatchObject({ calls: 2, items: 50 });
  expect(found.count).toBeGreaterThan(10);
});

it('opens a chat with its newest messages, regardless of their number', async () => {
  reads.reset();

  const { body } = await conversation.ask('chats/get', long, { query: { limit: '50' } });

  expect(body.messages.at(-1)?.sequence).toBe(many);
  expect([conversation.calls.names.length, reads.items]).toEqual([2, 50]);
});
