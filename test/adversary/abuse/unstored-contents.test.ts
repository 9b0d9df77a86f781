import { createHash } from 'node:crypto';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { Chat, chatKey } from '../../../lambdas/domain/chats/chat.js';
import { deleteUnstored, markUnstored } from '../../../lambdas/domain/chats/unstored-content.js';
import { getItem } from '../../../lambdas/domain/records/batch-items.js';
import { Conversation } from '../../integration/content/a-conversation.js';
import { conversationMessage } from '../../support/conversation-message.js';
import { testObjects } from '../../support/uploads.js';

// A node reports long messages and breaks off: no content stays without its message.

const hour = 60 * 60 * 1_000;
const s3 = new S3Client({ forcePathStyle: true });
const contents = testObjects();
const Bucket = contents.bucket;
const original = globalThis.fetch;
const messageId = 'tool:1';
const text = 'a long output\n'.repeat(20_000);
const whole = {
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
};
const message = { messageId, whole };
/** Happens between the sweep's reading and its first write. */
let duringSweep: (() => Promise<void>) | undefined;
/** The function ends between the copy and the transaction that stores the message. */
let breaksOff = false;
let conversation: Conversation;
let sessionId: string;

beforeAll(async () => {
  await s3.send(new CreateBucketCommand({ Bucket })).catch(() => undefined);
  conversation = await Conversation.start(['callbacks/messages', 'callbacks/message-content']);
  conversation.table.client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (breaksOff && commandName === 'TransactWriteItemsCommand' && storesMessages(args.input))
          throw new Error('The function has ended');
        return next(args);
      },
    { step: 'initialize', name: 'breakOff' },
  );
  conversation.table.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const read = await next(args);
        if (commandName !== 'QueryCommand' || !duringSweep) return read;
        const happens = duringSweep;
        duringSweep = undefined;
        await happens();
        return read;
      },
    { step: 'initialize', name: 'duringSweep' },
  );
});
beforeEach(async () => {
  sessionId = await conversation.begin();
  await upload(messageId);
});

async function upload(id: string): Promise<void> {
  const request = { sessionId, messageId: id, whole };
  const { body } = await conversation.callBack('callbacks/message-content', request);
  expect((await fetch(body.uploadUrl, { method: 'PUT', headers: body.headers, body: text })).ok).toBe(true);
}

const storesMessages = (input: object): boolean => JSON.stringify(input).includes('"message"');

const report = (...more: Parameters<Conversation['report']>[0]) =>
  conversation.report([
    conversationMessage(sessionId, 1, { ...message, role: 'tool', content: 'a long output' }),
    ...more,
  ]);

async function breakOff(): Promise<void> {
  breaksOff = true;
  expect((await report()).status).toBe(500);
  breaksOff = false;
}

async function keptContents(): Promise<number> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'message-content/' }));
  return Contents.filter(({ Key }) => Key?.includes(sessionId)).length;
}

const marks = async (): Promise<number> => {
  const { Items = [] } = await conversation.table.client.send(
    new ScanCommand({ TableName: conversation.table.name, ConsistentRead: true }),
  );
  return Items.filter(({ entity, chatId }) => entity === 'unstored-content' && chatId === sessionId).length;
};

const sweep = (after: number, deps = contents) =>
  deleteUnstored(conversation.table, { contents: deps, now: new Date(Date.now() + after) });

async function chat(): Promise<Chat> {
  return Chat.parse(await getItem(conversation.table, chatKey(sessionId)));
}

it('deletes a content whose message was never stored, an hour later', async () => {
  await breakOff();
  expect([await keptContents(), await marks()]).toEqual([1, 1]);

  await sweep(0);
  expect(await keptContents()).toBe(1);
  await sweep(2 * hour);

  expect([await keptContents(), await marks()]).toEqual([0, 0]);
});

it('keeps the content of a message that a repeated batch stores', async () => {
  await breakOff();

  expect(await report()).toMatchObject({ status: 200, body: { persisted: 1 } });
  await sweep(2 * hour);

  expect([await keptContents(), await marks()]).toEqual([1, 0]);
});

it('marks no content for a batch that is later than the one that stored its message', async () => {
  const before = await chat();
  await report();

  const late = markUnstored(conversation.table, before, { messages: [message], now: new Date() });

  await expect(late).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await sweep(2 * hour);
  expect(await keptContents()).toBe(1);
});

it('copies no content that a sweep is deleting, also when the sweep breaks off', async () => {
  await breakOff();
  await expect(sweep(2 * hour, { ...contents, bucket: 'not-a-bucket' })).rejects.toThrow();

  expect((await report()).status).toBe(503);
  await sweep(2 * hour);

  expect(await report()).toMatchObject({ status: 200, body: { persisted: 1 } });
  expect([await keptContents(), await marks()]).toEqual([1, 0]);
});

it('leaves a content that a batch marks again after the sweep has read it', async () => {
  await breakOff();
  duringSweep = breakOff;

  await sweep(2 * hour);

  expect([await keptContents(), await marks()]).toEqual([1, 1]);
  expect(await report()).toMatchObject({ status: 200 });
});

it('deletes the others when one cannot be deleted', async () => {
  await breakOff();
  const first = sessionId;
  sessionId = await conversation.begin();
  await upload(messageId);
  await breakOff();
  const blocked: string = first;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    if (init?.method === 'DELETE' && String(input).includes(blocked)) throw new Error('S3 is not there');
    return original(input, init);
  });

  await expect(sweep(2 * hour)).rejects.toThrow('were not deleted');
  fetched.mockRestore();

  expect([await keptContents(), await marks()]).toEqual([0, 0]);
  sessionId = first;
  expect(await keptContents()).toBe(1);
  await sweep(2 * hour);
  expect(await keptContents()).toBe(0);
});

it('stores ten contents in one batch with messages of people, and marks none', async () => {
  const long = Array.from({ length: 10 }, (_, index) => ({ messageId: `long:${index}`, whole }));
  for (const { messageId: id } of long) await upload(id);
  const messages = Array.from({ length: 60 }, (_, index) =>
    conversationMessage(sessionId, index + 1, { role: 'user', ...long[index] }),
  );

  expect(await conversation.report(messages)).toMatchObject({ status: 200, body: { persisted: 60 } });
  expect([await keptContents(), await marks()]).toEqual([10, 0]);
});
