import { createHash } from 'node:crypto';
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { chatItem, newChat } from '../../../lambdas/domain/chats/chat.js';
import { contentKey } from '../../../lambdas/domain/chats/message.js';
import { deleteOldTasks } from '../../../lambdas/domain/tasks/deleted-tasks.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type LoadedRoutes, loadRoutes } from '../../support/loaded-routes.js';
import { aPerson, type Person, projectOf } from '../../support/project-members.js';
import { testObjects } from '../../support/uploads.js';

// Somebody creates and deletes drafts without end: after a month nothing names them.

const day = 24 * 60 * 60 * 1_000;
const s3 = new S3Client({ forcePathStyle: true });
const contents = testObjects();
const Bucket = contents.bucket;

let routes: LoadedRoutes;
let table: Table;
let person: Person;
let projectId: string;

beforeAll(async () => {
  routes = await loadRoutes(['tasks/create', 'tasks/patch', 'tasks/status', 'tasks/delete']);
  ({ table } = routes);
  person = await aPerson(table);
  await s3.send(new CreateBucketCommand({ Bucket })).catch(() => undefined);
  ({ projectId } = await projectOf(table, person));
});

function call(file: string, taskId?: string, body?: object) {
  const params = { projectId, ...(taskId ? { taskId } : {}) };
  return routes.call(file, { params, body, cookies: person.cookies });
}

async function aDeletedDraft(): Promise<string> {
  const { body } = await call('tasks/create', undefined, { title: 'Paint the gate' });
  const taskId = (body as { readonly id: string }).id;
  for (const toStatus of ['ready', 'cancelled'])
    expect((await call('tasks/status', taskId, { toStatus })).status).toBe(200);
  expect((await call('tasks/delete', taskId)).status).toBe(204);
  return taskId;
}

/** A chat of the task, with messages. */
async function putChatOf(taskId: string, messages: number): Promise<void> {
  const { userId } = person;
  const chat = newChat(
    { chatId: taskId, projectId, userId, topic: null, workspaceId: null, taskId },
    new Date(),
  );
  const items = [
    chatItem(chat),
    ...Array.from({ length: messages }, (_, index) => ({ pk: `CHAT#${taskId}`, sk: `MESSAGE#${index}` })),
  ];
  for (const Item of items) await table.client.send(new PutCommand({ TableName: table.name, Item }));
}

/**
 * Keys of items that are there after their expiry and name this id. The sweep of each five minutes
 * removes the marker of a cancelled task, and a test of its own follows it.
 */
async function naming(id: string, at: Date): Promise<readonly string[]> {
  const found: string[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new ScanCommand({ TableName: table.name, ConsistentRead: true, ExclusiveStartKey }),
    );
    for (const item of page.Items ?? []) {
      const isExpired = Number(item.expiresAt) * 1_000 <= at.getTime() || item.pk === 'PENDINGRECONCILE';
      const text = JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value));
      if (!isExpired && text.includes(id)) found.push(`${item.pk} ${item.sk}`);
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return found;
}

const after = (days: number) => new Date(Date.now() + days * day);

it('keeps the events of a deleted draft for a month, and then nothing that names it', async () => {
  const taskId = await aDeletedDraft();

  await deleteOldTasks({ table, contents, now: after(29) });
  expect((await naming(taskId, after(29))).filter((key) => key.startsWith('TASK#'))).toHaveLength(3);
  await deleteOldTasks({ table, contents, now: after(31) });

  expect(await naming(taskId, after(31))).toEqual([]);
});

it('deletes the chat of a deleted task with its messages, over as many passes as it needs', async () => {
  const [taskId, other] = [await aDeletedDraft(), newId()];
  await putChatOf(taskId, 150);
  await putChatOf(other, 1);

  await deleteOldTasks({ table, contents, now: after(31) }, { tasks: 50, items: 40 });
  expect((await naming(taskId, after(31))).length).toBeGreaterThan(100);
  for (let pass = 0; pass < 4; pass += 1)
    await deleteOldTasks({ table, contents, now: after(31) }, { tasks: 50, items: 40 });

  expect(await naming(taskId, after(31))).toEqual([]);
  expect(await naming(other, after(31))).toHaveLength(2);
});

/** A message whose content is in S3, as in a chat of the project. */
async function putLongMessage(chatId: string): Promise<string> {
  const whole = { bytes: 4, sha256: createHash('sha256').update('long').digest('hex') };
  const message = { projectId, chatId, messageId: 'tool:1', whole };
  const Item = { pk: `CHAT#${chatId}`, sk: 'MESSAGE#000000000001', ...message };
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
  const Key = contentKey('kept', message, message);
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'long' }));
  return Key;
}

async function storedContents(): Promise<readonly (string | undefined)[]> {
  const Prefix = `message-content/${projectId}/`;
  return ((await s3.send(new ListObjectsV2Command({ Bucket, Prefix }))).Contents ?? []).map(({ Key }) => Key);
}

it('deletes the content of long messages with their chat, and no other', async () => {
  const [taskId, other] = [await aDeletedDraft(), newId()];
  const [deleted, kept] = [await putLongMessage(taskId), await putLongMessage(other)];
  expect(await storedContents()).toEqual(expect.arrayContaining([deleted, kept]));

  await deleteOldTasks({ table, contents, now: after(29) });
  expect(await storedContents()).toContain(deleted);
  await deleteOldTasks({ table, contents, now: after(31) });

  expect(await storedContents()).toEqual([kept]);
});

it('keeps a message whose content cannot be deleted, for the next pass', async () => {
  const taskId = await aDeletedDraft();
  const key = await putLongMessage(taskId);
  const unreachable = { ...contents, endpoint: 'http://127.0.0.1:9' };

  await expect(deleteOldTasks({ table, contents: unreachable, now: after(31) })).rejects.toThrow();
  expect(await naming(taskId, after(31))).toContain(`CHAT#${taskId} MESSAGE#000000000001`);
  await deleteOldTasks({ table, contents, now: after(31) });

  expect(await storedContents()).not.toContain(key);
  expect(await naming(taskId, after(31))).toEqual([]);
});
