import { describe, expect, it } from 'vitest';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { acknowledgePrompt } from '../../../lambdas/domain/prompts/acknowledge-prompt.js';
import { beginAttempt } from '../../../lambdas/domain/prompts/begin-attempt.js';
import { beginChatAgain } from '../../../lambdas/domain/prompts/begin-chat-again.js';
import { listDueChats } from '../../../lambdas/domain/prompts/list-due-chats.js';
import { loadDelivery } from '../../../lambdas/domain/prompts/load-delivery.js';
import { loneOf } from '../../../lambdas/domain/prompts/lone-prompt.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putItem } from '../../support/project.js';
import { aPrompt, chatOnNode, itemsOf, queueOf } from './a-chat.js';
import { deliveryStage } from './delivery-stage.js';
import { Died, deathsAt } from './dying-client.js';
import { queuedInProject } from './expect-true-books.js';

const stage = deliveryStage();

const attempt = () => ({
  kind: 'prompt' as const,
  attemptId: newId(),
  runtimeIdentity: stage.node.runtimeIdentity,
  adapterProtocolVersion: 1,
  receiptSupported: true,
});
const load = async (deliveryId: string) => loadDelivery(stage.table, await stage.chat(), deliveryId);
const begin = async (deliveryId: string, loaded = load(deliveryId)) =>
  beginAttempt(stage.table, await loaded, { attempt: attempt(), now: stage.now });
const isDue = async (inSeconds: number) =>
  (await listDueChats(stage.table, new Date(stage.now.getTime() + inSeconds * 1_000))).includes(stage.chatId);
const alone = async () => loneOf(await stage.chat())?.deliveryId;

/** One that waits alone, for its agent works on another; and one that does not wait for that. */
async function sendBoth() {
  stage.node.isBusy = true;
  await stage.reports('prompting');
  return { patient: await stage.send({ content: 'patient' }), urgent: await interrupt() };
}
const interrupt = () => stage.send({ content: 'urgent', messageClass: 'interrupt' });

/** What other chats of the project have in their queues. */
async function countOthers(count: number): Promise<void> {
  const { projectId } = await stage.chat();
  const key = { pk: `PROJECT#${projectId}`, sk: 'PROMPTQUEUE' };
  await changeItem(stage.table, { key, add: { queuedPrompts: count }, when: { exists: true } });
}

/** Bells and ends of turns, until nothing waits. */
async function workOff(): Promise<void> {
  for (let ring = 0; ring < 6; ring += 1) {
    await stage.ring();
    stage.node.endTurn();
    stage.later(31);
    await stage.reports('idle');
  }
  expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
}

describe('a prompt that waits alone', () => {
  it('has no place in the queue, is named by its chat, and is found by the sweep until it is settled', async () => {
    const deliveryId = await stage.send();

    expect(await alone()).toBe(deliveryId);
    expect(await itemsOf(stage.table, stage.chatId, 'WAITING#')).toEqual([]);
    expect(await queueOf(stage.table, stage.chatId)).toEqual([deliveryId]);
    expect(await isDue(60)).toBe(true);

    await stage.ring();

    expect(await alone()).toBeUndefined();
    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivered', isLone: null });
    stage.node.endTurn();
    await stage.confirmLast();
    expect(await isDue(600)).toBe(false);
  });

  it('is begun with one write of its own item alone', async () => {
    const loaded = await load(await stage.send());
    stage.calls.reset();

    await beginAttempt(stage.table, loaded, { attempt: attempt(), now: stage.now });

    expect(stage.calls.names).toEqual(['UpdateItemCommand']);
    expect(await stage.chat()).not.toHaveProperty('deliveringId');
  });

  it('is due when it is to be tried again, and not before', async () => {
    stage.node.isBusy = true;
    await stage.send();
    await stage.ring();

    expect(await isDue(12)).toBe(false);
    expect(await isDue(16)).toBe(true);
  });

  it('is delivered before what comes after it, and both once', async () => {
    await stage.send({ content: 'first' });
    await stage.send({ content: 'second' });

    await workOff();

    expect(stage.node.taken).toEqual(['first', 'second']);
  });

  it('is taken out of its chat by an acknowledgement', async () => {
    const mail = { sourceKind: 'agent_mailbox', senderType: 'agent', ackRequired: true } as const;
    const deliveryId = await stage.send(mail);

    await acknowledgePrompt(stage.table, { chatId: stage.chatId, deliveryId }, stage.now);

    expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
    expect(await alone()).toBeUndefined();
    expect(await isDue(600)).toBe(false);
  });

  it('waits behind what came into the queue again while it was taken on', async () => {
    const mail = { sourceKind: 'agent_mailbox', senderType: 'agent', ackRequired: true } as const;
    const late = await stage.send({ ...mail, content: 'mail' });
    await stage.ring();
    stage.node.endTurn();
    stage.later(400);
    const chat = await stage.chat();
    expect(await stage.ring()).toMatchObject({ now: true });

    await acceptPrompt(stage.table, aPrompt({ content: 'new' }), { chat, now: stage.now });

    expect(await alone()).toBeUndefined();
    expect(await queueOf(stage.table, stage.chatId)).toHaveLength(2);
    expect(await queueOf(stage.table, stage.chatId)).toContain(late);
  });
});

describe('a prompt that waits alone and is overtaken', () => {
  it('goes into the queue, however full that of its project is, and is delivered after the other one', async () => {
    const { patient, urgent } = await sendBoth();
    await countOthers(999);
    expect(await queueOf(stage.table, stage.chatId)).toEqual([urgent, patient]);

    await stage.ring();

    expect(stage.node.taken).toEqual(['urgent']);
    expect(await alone()).toBeUndefined();
    expect(await queueOf(stage.table, stage.chatId)).toEqual([patient]);
    expect(await stage.record(patient)).toMatchObject({ deliveryState: 'queued', isLone: null });
    expect(await queuedInProject(stage.table, (await stage.chat()).projectId)).toBe(1_000);
    await countOthers(-999);
    await workOff();
    expect(stage.node.taken).toEqual(['urgent', 'patient']);
  });

  it('is not begun by whoever has read it before', async () => {
    const { patient, urgent } = await sendBoth();
    const read = await load(patient);
    expect(await begin(urgent)).toBeDefined();

    expect(await begin(patient, Promise.resolve(read))).toBeUndefined();
    expect(await begin(patient)).toBeUndefined();
    // Its chat before, and the prompt itself after.
    const torn = { ...read, prompt: await stage.record(patient) };
    expect(await begin(patient, Promise.resolve(torn))).toBeUndefined();
  });

  it('is not overtaken once somebody has begun to deliver it', async () => {
    const { patient, urgent } = await sendBoth();
    const read = await load(urgent);
    expect(await begin(patient)).toBeDefined();

    expect(await begin(urgent, Promise.resolve(read))).toBeUndefined();
    expect(await begin(urgent)).toBeUndefined();
    expect(await alone()).toBe(patient);
  });

  it('is asked about first where somebody has begun to deliver it and was lost', async () => {
    const patient = await stage.send({ content: 'patient' });
    stage.dying.die({ write: 2, when: 'before' });
    await expect(stage.ring()).rejects.toThrow(Died);
    stage.dying.die(undefined);
    const urgent = await interrupt();

    expect(await stage.ring()).toEqual({ now: false, at: null });
    expect(await stage.record(urgent)).toMatchObject({ deliveryState: 'queued' });
    stage.later(31);
    expect(await stage.ring()).toMatchObject({ now: true });

    expect(await stage.record(patient)).toMatchObject({ deliveryState: 'delivered' });
    await workOff();
    expect(stage.node.taken).toEqual(['patient', 'urgent']);
  });

  it.each(deathsAt(1, 2))(
    'is delivered once when the function dies $when write $write of the other one',
    async (death) => {
      await sendBoth();
      stage.dying.die(death);
      await expect(stage.ring()).rejects.toThrow(Died);
      stage.dying.die(undefined);
      stage.later(31);

      await workOff();

      expect([...stage.node.taken].sort()).toEqual(['patient', 'urgent']);
    },
  );
});

describe('a chat that begins again while somebody delivers a prompt of it', () => {
  it.each(['alone', 'from the queue'])('shows what became of that: one that waited %s', async (where) => {
    if (where === 'from the queue') await stage.send({ content: 'settled' });
    const deliveryId = await stage.send({ content: 'left' });
    if (where === 'from the queue') await stage.ring();
    stage.node.endTurn();
    stage.dying.die({ write: 2, when: 'before' });
    await expect(stage.deliver(deliveryId)).rejects.toThrow(Died);
    stage.dying.die(undefined);
    await putItem(stage.table, { ...chatItem(await stage.chat()), status: 'stopped' });
    const chat = await stage.chat();
    const start = aPrompt({ content: 'again' });
    await transact(stage.table, beginChatAgain(chat, start, stage.now));
    await chatOnNode(stage.table, stage.node, await stage.chat());
    stage.node.restart();

    expect(await stage.deliver(start.deliveryId)).toMatchObject({ outcome: 'delivered' });
    stage.node.endTurn();
    stage.later(31);
    await workOff();

    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'ambiguous' });
    expect(stage.node.taken.filter((text) => text === 'left')).toHaveLength(1);
  });
});
