import { beforeAll, expect, it } from 'vitest';
import { conversationMessage } from '../../support/conversation-message.js';
import { Conversation } from './a-conversation.js';

let conversation: Conversation;
let sessionId: string;

beforeAll(async () => {
  conversation = await Conversation.start(['callbacks/messages', 'chats/messages', 'chats/get']);
});

const begin = async () => {
  sessionId = await conversation.begin();
};
const contents = async () => (await conversation.walk(sessionId)).flat().map(({ content }) => content.trim());

it('a batch whose response was lost is stored once when the next generation repeats it', async () => {
  await begin();
  const streamId = 'of-this-node';
  await conversation.report([conversationMessage(sessionId, 1), conversationMessage(sessionId, 2)], {
    streamId,
  });
  await conversation.restart();

  const again = await conversation.report(
    [1, 2, 3].map((at) => conversationMessage(sessionId, at)),
    { streamId },
  );

  expect(again).toMatchObject({ status: 200, body: { persisted: 1, duplicates: 2 } });
  expect(await contents()).toEqual(['piece 1', 'piece 2', 'piece 3']);
});

it('another node that continues a workspace starts to count from the beginning', async () => {
  await begin();
  await conversation.report([conversationMessage(sessionId, 1)], { streamId: 'one' });
  await conversation.restart();

  await conversation.report([conversationMessage(sessionId, 1, { content: 'elsewhere' })], {
    streamId: 'two',
  });

  expect(await contents()).toEqual(['piece 1', 'elsewhere']);
});

it('an earlier generation can no longer store messages', async () => {
  await begin();
  const { generation } = conversation.workspace;
  await conversation.restart();

  expect(await conversation.report([conversationMessage(sessionId, 1)], { generation })).toMatchObject({
    status: 410,
  });

  expect(await contents()).toEqual([]);
});

it('batches out of order are stored once, and a skipped batch stays a gap', async () => {
  await begin();
  await conversation.report([conversationMessage(sessionId, 4), conversationMessage(sessionId, 3)]);

  const late = await conversation.report([
    conversationMessage(sessionId, 1),
    conversationMessage(sessionId, 2),
  ]);

  expect(late).toMatchObject({ body: { persisted: 0, duplicates: 2 } });
  expect(await contents()).toEqual(['piece 3', 'piece 4']);
});

it('half a surrogate pair is refused, with the name of the field', async () => {
  await begin();
  const half = '\ud83d';
  const odd = [
    [{ content: half }, 'content'],
    [{ toolMetadata: { title: half } }, 'toolMetadata.title'],
    [{ toolMetadata: { locations: [{ [half]: 1 }] } }, 'toolMetadata.locations.0'],
  ] as const;

  for (const [more, field] of odd)
    expect(await conversation.report([conversationMessage(sessionId, 1, more)])).toMatchObject({
      status: 400,
      body: { details: [{ field: `body.messages.0.${field}` }] },
    });
  expect(await contents()).toEqual([]);
});

it('a message of maximum length is stored with any characters, and pages of such messages fit a response', async () => {
  await begin();
  const count = 30;
  // JSON encodes each of these bytes as six.
  const content = '\u0000\u001b'.repeat(51_200);
  for (let at = 1; at <= count; at++)
    expect(await conversation.report([conversationMessage(sessionId, at, { content })])).toMatchObject({
      status: 200,
    });

  for (const order of ['asc', 'desc']) {
    const pages = await conversation.walk(sessionId, { limit: '100', order });

    const sequences = pages.flat().map(({ sequence }) => sequence);
    const inOrder = Array.from({ length: count }, (_, index) => index + 1);
    expect(sequences).toEqual(order === 'asc' ? inOrder : inOrder.reverse());
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages) {
      expect(page.every((message) => message.content === content)).toBe(true);
      const answer = JSON.stringify({ body: JSON.stringify({ messages: page }) });
      expect(Buffer.byteLength(answer)).toBeLessThan(6 * 1024 ** 2);
    }
  }
  const newest = await conversation.ask('chats/get', sessionId, { query: { limit: '100' } });
  expect(newest.body).toMatchObject({ hasMore: true });
  expect(newest.body.messages.at(-1)?.sequence).toBe(count);
});
