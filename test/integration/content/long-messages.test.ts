import { createHash } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { contentKey } from '../../../lambdas/domain/chats/message.js';
import { conversationMessage } from '../../support/conversation-message.js';
import { functionEnv } from '../../support/function-env.js';
import { Conversation } from './a-conversation.js';

const s3 = new S3Client({ forcePathStyle: true });
const Bucket = functionEnv.UPLOADS_BUCKET;
let conversation: Conversation;

beforeAll(async () => {
  await s3.send(new CreateBucketCommand({ Bucket })).catch(() => undefined);
  conversation = await Conversation.start([
    'callbacks/messages',
    'callbacks/message-content',
    'chats/messages',
    'chats/tool-content',
  ]);
});

const messageId = 'tool:1';
const text = `${'wörld 😀 \u001b[31m\u0000 '.repeat(20_000)}end`;
const whole = wholeOf(text);

function wholeOf(content: string) {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { bytes: Buffer.byteLength(content), sha256 };
}

const prepare = (sessionId: string, more: object = {}) =>
  conversation.callBack('callbacks/message-content', { sessionId, messageId, whole, ...more });

async function upload(sessionId: string, content = text) {
  const { status, body } = await prepare(sessionId);
  expect(status).toBe(200);
  return fetch(body.uploadUrl, { method: 'PUT', headers: body.headers, body: content });
}

const beginning = (sessionId: string) =>
  conversationMessage(sessionId, 1, { messageId, role: 'tool', content: text.slice(0, 1_000), whole });

const toolContent = (sessionId: string) =>
  conversation.ask('chats/tool-content', sessionId, { params: { sequence: '1' } });

async function shown(sessionId: string) {
  return (await conversation.walk(sessionId)).flat();
}

it('shows the beginning in pages and the whole text on request, unchanged', async () => {
  const sessionId = await conversation.begin();
  expect((await upload(sessionId)).ok).toBe(true);

  expect(await conversation.report([beginning(sessionId)])).toMatchObject({ status: 200 });

  expect(await shown(sessionId)).toMatchObject([
    { content: text.slice(0, 1_000), contentBytes: whole.bytes, hasToolContent: true },
  ]);
  const { status, headers } = await toolContent(sessionId);
  expect(status).toBe(302);
  const file = await fetch(String(headers.location));
  expect(file.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(file.headers.get('content-disposition')).toContain('attachment');
  expect(await file.text()).toBe(text);
});

it('returns a text that fits the message from the message itself', async () => {
  const sessionId = await conversation.begin();
  await conversation.report([conversationMessage(sessionId, 1, { role: 'tool', content: 'short' })]);

  expect(await toolContent(sessionId)).toMatchObject({ status: 200, body: { content: 'short' } });
  expect(await shown(sessionId)).toMatchObject([{ contentBytes: null, hasToolContent: true }]);
});

it('stores nothing of a batch whose content is missing, truncated, or of another message', async () => {
  const sessionId = await conversation.begin();
  const refused = { status: 409, body: { error: 'CONTENT_NOT_STORED' } };
  const batch = [beginning(sessionId), conversationMessage(sessionId, 2)];

  expect(await conversation.report(batch)).toMatchObject(refused);
  await upload(sessionId);
  const other = { ...beginning(sessionId), messageId: 'other' };
  expect(await conversation.report([other, conversationMessage(sessionId, 2)])).toMatchObject(refused);
  const shorter = { ...whole, bytes: whole.bytes - 1 };
  expect(await conversation.report([{ ...beginning(sessionId), whole: shorter }])).toMatchObject(refused);

  expect(await shown(sessionId)).toEqual([]);
  expect(await conversation.report(batch)).toMatchObject({ status: 200, body: { persisted: 2 } });
});

it('keeps the content after the upload is deleted, also for a repeated batch', async () => {
  const sessionId = await conversation.begin();
  await upload(sessionId);
  await conversation.report([beginning(sessionId)]);
  const chat = { projectId: conversation.as.project.projectId, chatId: sessionId };
  await s3.send(new DeleteObjectCommand({ Bucket, Key: contentKey('uploaded', chat, { messageId, whole }) }));

  expect(await conversation.report([beginning(sessionId)])).toMatchObject({ body: { duplicates: 1 } });

  const Key = contentKey('kept', chat, { messageId, whole });
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  expect(await Body?.transformToString()).toBe(text);
});

it('stores uploads under their chat, also when repeated', async () => {
  const sessionId = await conversation.begin();
  for (let time = 0; time < 3; time++) await upload(sessionId);
  await conversation.report([beginning(sessionId)]);

  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  const { projectId } = conversation.as.project;
  const mine = Contents.map(({ Key }) => String(Key)).filter((key) => key.includes(sessionId));
  expect(mine.sort()).toEqual([
    `message-content/${projectId}/${sessionId}/${messageId}/${whole.sha256}`,
    `message-uploads/${projectId}/${sessionId}/${messageId}/${whole.sha256}`,
  ]);
});

it('is refused above its limit or the chat’s, for a chat of another workspace, and from an earlier generation', async () => {
  const sessionId = await conversation.begin();
  const full = await conversation.begin({ contentBytes: 1024 ** 3 - whole.bytes + 1 });
  const foreign = await conversation.begin({ workspaceId: conversation.as.project.projectId });
  const tooMany = Array.from({ length: 11 }, (_, index) => ({
    ...beginning(sessionId),
    sequence: index + 1,
  }));

  expect(await prepare(sessionId, { whole: { ...whole, bytes: 10 * 1024 ** 2 + 1 } })).toMatchObject({
    status: 400,
    body: { details: [{ field: 'body.whole.bytes' }] },
  });
  expect(await prepare(full)).toMatchObject({
    status: 409,
    body: { error: 'SESSION_CONTENT_LIMIT_EXCEEDED' },
  });
  expect(await prepare(foreign)).toMatchObject({ status: 409, body: { error: 'NOT_LINKED' } });
  expect(await conversation.report(tooMany)).toMatchObject({ status: 400 });
  const { generation } = conversation.workspace;
  await conversation.restart();
  const stale = { sessionId, messageId, whole };
  expect(await conversation.callBack('callbacks/message-content', stale, generation)).toMatchObject({
    status: 410,
  });
});
