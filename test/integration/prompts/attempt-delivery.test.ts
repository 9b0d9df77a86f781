import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Chat, chatItem } from '../../../lambdas/domain/chats/chat.js';
import { type AskedPrompt, acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { attemptDelivery, type Delivery } from '../../../lambdas/domain/prompts/attempt-delivery.js';
import { deliverNext } from '../../../lambdas/domain/prompts/deliver-next.js';
import { listDueChats } from '../../../lambdas/domain/prompts/list-due-chats.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { sharedTable } from '../../support/table.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { putItem } from '../people/a-project.js';
import { aPrompt, chatOnNode, messagesOf, queueOf, readChat, readPrompt } from './a-chat.js';
import { Died, DyingClient } from './dying-client.js';
import { PromptNode } from './prompt-node.js';

let table: Table;
let calls: CallCount;
let dying: DyingClient;
let node: PromptNode;
let chat: Chat;
let clock: number;

beforeAll(() => {
  table = sharedTable();
  calls = countCalls(table.client);
  dying = new DyingClient(table.client);
});

beforeEach(async () => {
  clock = Date.now();
  node = await PromptNode.start();
  chat = await chatOnNode(table, node);
  return async () => {
    dying.die(undefined);
    await node[Symbol.asyncDispose]();
  };
});

const later = (seconds: number): void => {
  clock += seconds * 1_000;
};

async function send(asked: Partial<AskedPrompt> = {}): Promise<string> {
  const now = new Date(clock);
  const { deliveryId } = await acceptPrompt(table, aPrompt(asked), {
    chat: await readChat(table, chat.chatId),
    now,
  });
  return deliveryId;
}

function deliver(deliveryId: string): Promise<Delivery> {
  const parts = { keys: signingKeys(), now: new Date(clock), newId };
  return attemptDelivery(table, parts, { chatId: chat.chatId, deliveryId });
}

const record = (deliveryId: string) => readPrompt(table, chat.chatId, deliveryId);
const shown = async () => (await messagesOf(table, chat.chatId)).map(({ delivery }) => delivery);

describe('a delivery', () => {
  it('reaches the node and shows it, in at most six table calls', async () => {
    const deliveryId = await send({ content: 'Fix it' });

    calls.reset();
    expect(await deliver(deliveryId)).toEqual({ outcome: 'delivered' });

    expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(6);
    expect(node.taken).toEqual(['Fix it']);
    expect(await record(deliveryId)).toMatchObject({
      deliveryState: 'delivered',
      kind: 'start',
      receiptState: 'in_flight',
      runtimeIdentity: 'run-1',
      deliveryAttempts: 1,
    });
    expect(await shown()).toEqual([{ deliveryId, state: 'delivered', reason: null }]);
    expect(await queueOf(table, chat.chatId)).toEqual([]);
    const after = await readChat(table, chat.chatId);
    expect(after).toMatchObject({ queuedPrompts: 0, isBegun: true });
    expect(after.deliveringId).toBeUndefined();
  });

  it('that was made is not made again, however often it is tried', async () => {
    const deliveryId = await send();
    await deliver(deliveryId);

    expect(await Promise.all([deliver(deliveryId), deliver(deliveryId)])).toEqual([
      { outcome: 'delivered' },
      { outcome: 'delivered' },
    ]);
    expect(node.stub.seen.filter((seen) => seen.endsWith('/start'))).toHaveLength(1);
  });

  it('is made by one of many who try at once', async () => {
    const deliveryId = await send();

    const outcomes = await Promise.all(Array.from({ length: 5 }, () => deliver(deliveryId)));

    expect(outcomes.filter(({ outcome }) => outcome === 'delivered').length).toBeGreaterThanOrEqual(1);
    expect(node.stub.seen.filter((seen) => seen.endsWith('/start'))).toHaveLength(1);
    expect(node.taken).toHaveLength(1);
  });

  it('begins the agent with the first prompt, and goes to it as it is from then on', async () => {
    await deliver(await send({ content: 'first' }));
    node.endTurn();
    await deliver(await send({ content: 'second' }));

    const paths = node.stub.seen
      .filter((seen) => /(start|prompt)$/.test(seen))
      .map((seen) => seen.split('/').at(-1));
    expect(paths).toEqual(['start', 'prompt']);
    expect(node.taken).toEqual(['first', 'second']);
  });

  it('of an agent at work waits for it, and takes the same way again', async () => {
    node.isBegun = true;
    node.isBusy = true;
    const deliveryId = await send();

    const delivery = await deliver(deliveryId);

    expect(delivery).toEqual({ outcome: 'retry', isNew: true, at: new Date(clock + 5_000) });
    expect(await record(deliveryId)).toMatchObject({ deliveryState: 'retry_wait', lastError: 'not_ready' });
    expect(await shown()).toMatchObject([{ state: 'queued' }]);
    expect(await deliver(deliveryId)).toMatchObject({ outcome: 'retry' });
    node.endTurn();
    later(5);
    expect(await deliver(deliveryId)).toEqual({ outcome: 'delivered' });
    expect(node.taken).toHaveLength(1);
  });

  it('that interrupts ends the turn that runs first', async () => {
    await deliver(await send({ content: 'long work' }));

    expect(await deliver(await send({ content: 'stop that', messageClass: 'interrupt' }))).toEqual({
      outcome: 'delivered',
    });

    expect(node.cancelled).toEqual(['long work']);
    expect(node.taken).toEqual(['long work', 'stop that']);
  });

  it('whose answer was lost is found by its receipt', async () => {
    node.losing = [/start$/];

    expect(await deliver(await send())).toEqual({ outcome: 'delivered' });

    expect(node.taken).toHaveLength(1);
    expect(node.stub.seen.filter((seen) => seen.endsWith('/start'))).toHaveLength(1);
  });

  it('whose answer and receipt are lost is asked for half a minute later', async () => {
    node.losing = [/start$/, /prompt-receipts/];
    const deliveryId = await send();

    expect(await deliver(deliveryId)).toEqual({
      outcome: 'retry',
      isNew: true,
      at: new Date(clock + 30_000),
    });
    expect(await record(deliveryId)).toMatchObject({ deliveryState: 'delivering' });
    later(29);
    expect(await deliver(deliveryId)).toMatchObject({ outcome: 'retry' });
    later(1);
    expect(await deliver(deliveryId)).toEqual({ outcome: 'delivered' });

    expect(node.taken).toHaveLength(1);
  });

  it('is ambiguous when the node cannot be asked about it any more, and is never sent again', async () => {
    node.losing = [/start$/, /prompt-receipts/, /prompt-receipts/];
    const deliveryId = await send();
    await deliver(deliveryId);
    later(31);

    expect(await deliver(deliveryId)).toEqual({ outcome: 'ambiguous', reason: 'receipt_unavailable' });

    later(60);
    expect(await deliver(deliveryId)).toEqual({ outcome: 'ambiguous', reason: 'receipt_unavailable' });
    expect(node.taken).toHaveLength(1);
    expect(await shown()).toEqual([{ deliveryId, state: 'ambiguous', reason: 'receipt_unavailable' }]);
  });

  it('is ambiguous when the agent was started anew in between', async () => {
    node.losing = [/start$/, /prompt-receipts/];
    const deliveryId = await send();
    await deliver(deliveryId);
    node.restart();
    later(31);

    expect(await deliver(deliveryId)).toEqual({ outcome: 'ambiguous', reason: 'runtime_changed' });
    expect(node.taken).toHaveLength(1);
  });

  it('to a node that is not there is tried again, and does not count as lost', async () => {
    const deliveryId = await send();
    await node[Symbol.asyncDispose]();

    expect(await deliver(deliveryId)).toMatchObject({ outcome: 'retry' });

    expect(await record(deliveryId)).toMatchObject({
      deliveryState: 'retry_wait',
      lastError: 'node_unreachable',
      runtimeIdentity: null,
    });
    node = await PromptNode.start();
  });

  it('needs a node that keeps receipts', async () => {
    node.receiptsSupported = false;

    expect(await deliver(await send())).toEqual({ outcome: 'failed', reason: 'unsupported_capability' });
    expect(node.taken).toEqual([]);
  });

  it('fails when its session has ended, and says so', async () => {
    const deliveryId = await send();
    await putItem(table, { ...chatItem(await readChat(table, chat.chatId)), status: 'stopped' });

    expect(await deliver(deliveryId)).toEqual({ outcome: 'failed', reason: 'terminal_target' });

    expect(await shown()).toEqual([{ deliveryId, state: 'failed', reason: 'terminal_target' }]);
    expect(await readChat(table, chat.chatId)).toMatchObject({ queuedPrompts: 0 });
  });

  it('expires after an hour', async () => {
    const deliveryId = await send();
    later(3_600);

    expect(await deliver(deliveryId)).toEqual({ outcome: 'failed', reason: 'deadline_passed' });

    expect(await record(deliveryId)).toMatchObject({ deliveryState: 'expired' });
    expect(await shown()).toMatchObject([{ state: 'failed', reason: 'deadline_passed' }]);
  });

  it('waits while another one of its session is made', async () => {
    const first = await send({ content: 'first' });
    const second = await send({ content: 'second' });
    node.losing = [/start$/, /prompt-receipts/];
    await deliver(first);

    expect(await deliver(second)).toMatchObject({ outcome: 'retry' });
    expect(node.taken).toEqual(['first']);
  });
});

describe('a prompt that the node has taken', () => {
  const next = () => deliverNext(table, { keys: signingKeys(), now: new Date(clock), newId }, chat.chatId);

  it('is shown as ambiguous when the agent was killed before its harness had it', async () => {
    const deliveryId = await send();
    await deliver(deliveryId);
    node.restart();

    await next();

    expect(await shown()).toEqual([{ deliveryId, state: 'ambiguous', reason: 'runtime_changed' }]);
    expect(await record(deliveryId)).toMatchObject({ deliveryState: 'delivered', receiptState: 'ambiguous' });
    expect((await readChat(table, chat.chatId)).unconfirmedId).toBeUndefined();
  });

  it('is asked about before the next one takes its place', async () => {
    const lost = await send({ content: 'lost' });
    await deliver(lost);
    node.restart();
    await send({ content: 'next' });

    await next();

    expect(node.taken).toEqual(['lost', 'next']);
    expect(await shown()).toMatchObject([{ state: 'ambiguous' }, { state: 'delivered' }]);
  });

  it('is left alone once its turn is over, and while it runs', async () => {
    const deliveryId = await send();
    await deliver(deliveryId);

    await next();
    expect((await readChat(table, chat.chatId)).unconfirmedId).toBe(deliveryId);
    node.endTurn();
    await next();

    expect((await readChat(table, chat.chatId)).unconfirmedId).toBeUndefined();
    expect(await record(deliveryId)).toMatchObject({ receiptState: 'completed' });
    expect(await shown()).toMatchObject([{ state: 'delivered' }]);
  });

  it('is rung for two minutes later when nothing else has', async () => {
    await deliver(await send());

    expect(await listDueChats(table, new Date(clock + 60_000))).not.toContain(chat.chatId);
    expect(await listDueChats(table, new Date(clock + 180_000))).toContain(chat.chatId);
  });
});

describe('a function that dies', () => {
  const deaths = [1, 2].flatMap((write) => [
    { write, when: 'before' as const },
    { write, when: 'after' as const },
  ]);

  it.each(deaths)('$when write $write of a delivery leaves it to be delivered once', async (death) => {
    const deliveryId = await send({ content: 'once' });
    dying.die(death);
    await expect(deliver(deliveryId)).rejects.toThrow(Died);
    dying.die(undefined);

    // Whoever rings next: a bell, then the sweep.
    for (let ring = 0; ring < 3; ring += 1) {
      await deliver(deliveryId);
      later(31);
    }

    expect(node.taken).toEqual(['once']);
    expect(await record(deliveryId)).toMatchObject({ deliveryState: 'delivered' });
    expect(await readChat(table, chat.chatId)).toMatchObject({ queuedPrompts: 0 });
    expect(await queueOf(table, chat.chatId)).toEqual([]);
  });

  it.each(['before', 'after'] as const)('%s taking a prompt on leaves all of it or nothing', async (when) => {
    const asked = aPrompt();
    const accept = async () =>
      acceptPrompt(table, asked, { chat: await readChat(table, chat.chatId), now: new Date(clock) });
    dying.die({ write: 1, when });
    await expect(accept()).rejects.toThrow(Died);
    dying.die(undefined);

    expect(await messagesOf(table, chat.chatId)).toHaveLength(when === 'after' ? 1 : 0);
    // The caller sends it again.
    expect(await accept()).toMatchObject({ deliveryId: asked.deliveryId, sequence: 1 });
    expect(await messagesOf(table, chat.chatId)).toHaveLength(1);
    expect(await readChat(table, chat.chatId)).toMatchObject({ queuedPrompts: 1 });
  });
});
