import { beforeAll, expect, it } from 'vitest';
import { chatItem, maxMessagesPerChat } from '../../../lambdas/domain/chats/chat.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { maxQueuedPrompts } from '../../../lambdas/domain/prompts/prompt.js';
import { linkChat, newChatWithPrompt } from '../../../lambdas/domain/prompts/start-chat.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { putItem } from '../../support/project.js';
import { sharedTable } from '../../support/table.js';
import { aChat, aPrompt, messagesOf, putChat, queueOf, readChat, readPrompt } from './a-chat.js';

let table: Table;
let calls: CallCount;
const now = new Date('2026-11-21T10:00:00.000Z');

beforeAll(() => {
  table = sharedTable();
  calls = countCalls(table.client);
});

it('stores the prompt and its message in one transaction', async () => {
  const chat = await putChat(table, { lastSequence: 4, messageCount: 4 });
  const asked = aPrompt({ content: 'Ünicode 👩‍👩‍👧 \u0000\u001b[31m "quoted"' });

  calls.reset();
  const accepted = await acceptPrompt(table, asked, { chat, now });

  expect(calls.names).toEqual(['TransactWriteItemsCommand']);
  expect(accepted).toEqual({ deliveryId: asked.deliveryId, messageId: asked.deliveryId, sequence: 5 });
  expect(await readPrompt(table, chat.chatId, asked.deliveryId)).toMatchObject({
    content: asked.content,
    kind: 'prompt',
    deliveryState: 'queued',
    deadlineAt: '2026-11-21T11:00:00.000Z',
    sequence: 5,
  });
  expect(await messagesOf(table, chat.chatId)).toMatchObject([
    {
      sequence: 5,
      messageId: asked.deliveryId,
      role: 'user',
      origin: 'user',
      content: asked.content,
      delivery: { deliveryId: asked.deliveryId, state: 'queued' },
    },
  ]);
  expect(await readChat(table, chat.chatId)).toMatchObject({
    lastSequence: 5,
    messageCount: 5,
    queuedPrompts: 1,
    version: chat.version + 1,
  });
});

it.each(['mine-1', newId()])(
  'accepts the message %s once when it is sent in parallel',
  async (promptMessageId) => {
    const chat = await putChat(table);
    const send = () => acceptPrompt(table, aPrompt({ promptMessageId }), { chat, now });

    const answers = await Promise.all(Array.from({ length: 10 }, send));
    answers.push(await send());

    expect(new Set(answers.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    expect(await messagesOf(table, chat.chatId)).toHaveLength(1);
    expect(await readChat(table, chat.chatId)).toMatchObject({ queuedPrompts: 1, messageCount: 1 });
  },
);

it('refuses other content with the same message id or delivery id, and changes nothing', async () => {
  const chat = await putChat(table);
  const asked = aPrompt({ promptMessageId: newId() });
  await acceptPrompt(table, asked, { chat, now });

  for (const other of [
    { ...asked, content: 'Break it' },
    { ...asked, content: 'Break it', promptMessageId: newId() },
    { ...asked, messageClass: 'interrupt' as const, deliveryId: newId() },
  ])
    await expect(acceptPrompt(table, other, { chat, now })).rejects.toThrow(
      expect.objectContaining({ code: 'DELIVERY_CONFLICT' }),
    );

  expect(await messagesOf(table, chat.chatId)).toHaveLength(1);
});

it('recognises a repeat that uses the delivery id as its message id', async () => {
  const chat = await putChat(table);
  const asked = aPrompt();
  const accepted = await acceptPrompt(table, asked, { chat, now });
  const again = aPrompt({ promptMessageId: accepted.messageId });

  for (const seen of [chat, await readChat(table, chat.chatId)])
    expect(await acceptPrompt(table, again, { chat: seen, now })).toEqual(accepted);
  await expect(acceptPrompt(table, { ...again, content: 'Break it' }, { chat, now })).rejects.toThrow(
    expect.objectContaining({ code: 'DELIVERY_CONFLICT' }),
  );

  expect(await messagesOf(table, chat.chatId)).toHaveLength(1);
});

it('gives each prompt its own sequence number when a person and agents send at once', async () => {
  const chat = await putChat(table);
  const senders = ['human', 'agent', 'agent', 'human'] as const;

  const answers = await Promise.all(
    senders.map((senderType) => acceptPrompt(table, aPrompt({ senderType }), { chat, now })),
  );

  expect(answers.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3, 4]);
});

it('queues the most urgent first, then the oldest', async () => {
  const chat = await putChat(table);
  const ids: string[] = [];
  for (const messageClass of [
    'notify',
    'deliver',
    'interrupt',
    'deliver',
    'shutdown_with_final_prompt',
  ] as const) {
    const { deliveryId } = await acceptPrompt(table, aPrompt({ messageClass }), {
      chat: await readChat(table, chat.chatId),
      now,
    });
    ids.push(deliveryId);
  }

  expect(await queueOf(table, chat.chatId)).toEqual([ids[4], ids[2], ids[1], ids[3], ids[0]]);
});

it.each([
  ['stopped', { status: 'stopped' as const }, 'SESSION_ENDED'],
  ['without an agent', { agentSessionId: null }, 'SESSION_HAS_NO_AGENT'],
  ['with a full queue', { queuedPrompts: maxQueuedPrompts }, 'PROMPT_QUEUE_FULL'],
  ['full', { lastSequence: maxMessagesPerChat }, 'SESSION_MESSAGE_LIMIT_EXCEEDED'],
])('refuses a prompt to a session that is %s, and changes nothing', async (_, overrides, code) => {
  const chat = await putChat(table, overrides);

  for (const seen of [chat, { ...chat, status: 'active' as const, queuedPrompts: 0, lastSequence: 0 }])
    await expect(acceptPrompt(table, aPrompt(), { chat: seen, now })).rejects.toThrow(
      expect.objectContaining({ code }),
    );

  expect(await readChat(table, chat.chatId)).toEqual(chat);
});

it('accepts at most 1,000 queued prompts in a project, over all its sessions', async () => {
  const chat = await putChat(table);
  await putItem(table, {
    pk: `PROJECT#${chat.projectId}`,
    sk: 'PROMPTQUEUE',
    entity: 'prompt-queue',
    queuedPrompts: maxQueuedPrompts - 1,
  });
  await acceptPrompt(table, aPrompt(), { chat, now });
  await acceptPrompt(table, aPrompt(), { chat: await readChat(table, chat.chatId), now });

  await expect(
    acceptPrompt(table, aPrompt(), { chat: await readChat(table, chat.chatId), now }),
  ).rejects.toThrow(expect.objectContaining({ code: 'PROMPT_QUEUE_FULL' }));

  expect(await messagesOf(table, chat.chatId)).toHaveLength(2);
  const atRest = await putChat(table, { projectId: chat.projectId });
  expect(await acceptPrompt(table, aPrompt(), { chat: atRest, now })).toMatchObject({ sequence: 1 });
});

it('a new chat starts with the prompt that starts its agent, and is linked to one agent session', async () => {
  const { chatId, projectId, userId } = aChat();
  const asked = aPrompt();
  const begun = newChatWithPrompt(
    { chatId, projectId, userId, topic: 'Fix', workspaceId: null, taskId: newId() },
    asked,
    now,
  );
  await transact(table, begun.writes);
  const chat = await readChat(table, chatId);

  expect(chat).toEqual(begun.chat);
  expect(await readPrompt(table, chatId, asked.deliveryId)).toMatchObject({ kind: 'start', sequence: 1 });
  // Prompts that arrive before the agent starts wait behind the first prompt.
  await acceptPrompt(table, aPrompt(), { chat, now });

  const link = { chatId, workspaceId: newId(), agentSessionId: newId() };
  await linkChat(table, link, now);
  await linkChat(table, link, now);
  expect(await readChat(table, chatId)).toMatchObject(link);
  await putItem(table, { ...chatItem(await readChat(table, chatId)), status: 'stopped' });
  await expect(linkChat(table, { ...link, agentSessionId: newId() }, now)).rejects.toThrow(
    expect.objectContaining({ code: 'SESSION_ENDED' }),
  );
});
