import { describe, expect, it } from 'vitest';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { acknowledgePrompt } from '../../../lambdas/domain/prompts/acknowledgement.js';
import { beginAttempt } from '../../../lambdas/domain/prompts/delivery-attempt.js';
import { loadDelivery } from '../../../lambdas/domain/prompts/load-delivery.js';
import { listDueChats, unqueuedOf } from '../../../lambdas/domain/prompts/queue.js';
import { restartChat } from '../../../lambdas/domain/prompts/start-chat.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putItem } from '../../support/project.js';
import { aPrompt, chatOnNode, itemsOf, queueOf } from './a-chat.js';
import { deliveryStage } from './delivery-stage.js';
import { Died, deathsAt } from './dying-client.js';
import { queuedInProject } from './expect-consistent-records.js';

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
  beginAttempt(stage.table, await loaded, { fields: attempt(), now: stage.now });
const isDue = async (inSeconds: number) =>
  (await listDueChats(stage.table, new Date(stage.now.getTime() + inSeconds * 1_000))).includes(stage.chatId);
const alone = async () => unqueuedOf(await stage.chat())?.deliveryId;

/** An unqueued prompt that waits for the agent, and an urgent one. */
async function sendBoth() {
  stage.node.isBusy = true;
  await stage.reports('prompting');
  return { patient: await stage.send({ content: 'patient' }), urgent: await interrupt() };
}
const interrupt = () => stage.send({ content: 'urgent', messageClass: 'interrupt' });

/** Adds queued prompts of other chats of the project. */
async function countOthers(count: number): Promise<void> {
  const { projectId } = await stage.chat();
  const key = { pk: `PROJECT#${projectId}`, sk: 'PROMPTQUEUE' };
  await changeItem(stage.table, { key, add: { queuedPrompts: count }, when: { exists: true } });
}

/** Wakes the chat and ends turns until nothing waits. */
async function workOff(): Promise<void> {
  for (let wakeUp = 0; wakeUp < 6; wakeUp += 1) {
    await stage.wake();
    stage.node.endTurn();
    stage.later(31);
    await stage.reports('idle');
  }
  expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
}

describe('an unqueued prompt', () => {
  it('has no queue item; its chat refers to it, and the sweep finds it until it is settled', async () => {
    const deliveryId = await stage.send();

    expect(await alone()).toBe(deliveryId);
    expect(await itemsOf(stage.table, stage.chatId, 'WAITING#')).toEqual([]);
    expect(await queueOf(stage.table, stage.chatId)).toEqual([deliveryId]);
    expect(await isDue(60)).toBe(true);

    await stage.wake();

    expect(await alone()).toBeUndefined();
    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivered', isUnqueued: null });
    stage.node.endTurn();
    await stage.confirmLast();
    expect(await isDue(600)).toBe(false);
  });

  it('begins an attempt with one write of its own item', async () => {
    const loaded = await load(await stage.send());
    stage.calls.reset();

    await beginAttempt(stage.table, loaded, { fields: attempt(), now: stage.now });

    expect(stage.calls.names).toEqual(['UpdateItemCommand']);
    expect(await stage.chat()).not.toHaveProperty('deliveringId');
  });

  it('becomes due at the time of its retry, and not before', async () => {
    stage.node.isBusy = true;
    await stage.send();
    await stage.wake();

    expect(await isDue(12)).toBe(false);
    expect(await isDue(16)).toBe(true);
  });

  it('is delivered before a later prompt, and both are delivered once', async () => {
    await stage.send({ content: 'first' });
    await stage.send({ content: 'second' });

    await workOff();

    expect(stage.node.taken).toEqual(['first', 'second']);
  });

  it('is removed from its chat by an acknowledgement', async () => {
    const mail = { sourceKind: 'agent_mailbox', senderType: 'agent', ackRequired: true } as const;
    const deliveryId = await stage.send(mail);

    await acknowledgePrompt(stage.table, { chatId: stage.chatId, deliveryId }, stage.now);

    expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
    expect(await alone()).toBeUndefined();
    expect(await isDue(600)).toBe(false);
  });

  it('waits behind a redelivery that was queued while it was accepted', async () => {
    const mail = { sourceKind: 'agent_mailbox', senderType: 'agent', ackRequired: true } as const;
    const late = await stage.send({ ...mail, content: 'mail' });
    await stage.wake();
    stage.node.endTurn();
    stage.later(400);
    const chat = await stage.chat();
    expect(await stage.wake()).toMatchObject({ now: true });

    await acceptPrompt(stage.table, aPrompt({ content: 'new' }), { chat, now: stage.now });

    expect(await alone()).toBeUndefined();
    expect(await queueOf(stage.table, stage.chatId)).toHaveLength(2);
    expect(await queueOf(stage.table, stage.chatId)).toContain(late);
  });
});

describe('an unqueued prompt when a more urgent one is delivered first', () => {
  it('moves into the queue even at the project limit, and is delivered after the urgent one', async () => {
    const { patient, urgent } = await sendBoth();
    await countOthers(999);
    expect(await queueOf(stage.table, stage.chatId)).toEqual([urgent, patient]);

    await stage.wake();

    expect(stage.node.taken).toEqual(['urgent']);
    expect(await alone()).toBeUndefined();
    expect(await queueOf(stage.table, stage.chatId)).toEqual([patient]);
    expect(await stage.record(patient)).toMatchObject({ deliveryState: 'queued', isUnqueued: null });
    expect(await queuedInProject(stage.table, (await stage.chat()).projectId)).toBe(1_000);
    await countOthers(-999);
    await workOff();
    expect(stage.node.taken).toEqual(['urgent', 'patient']);
  });

  it('is not attempted by a worker that has read it before', async () => {
    const { patient, urgent } = await sendBoth();
    const read = await load(patient);
    expect(await begin(urgent)).toBeDefined();

    expect(await begin(patient, Promise.resolve(read))).toBeUndefined();
    expect(await begin(patient)).toBeUndefined();
    // The chat comes before, and the prompt after.
    const torn = { ...read, prompt: await stage.record(patient) };
    expect(await begin(patient, Promise.resolve(torn))).toBeUndefined();
  });

  it('is not moved into the queue while it is being delivered', async () => {
    const { patient, urgent } = await sendBoth();
    const read = await load(urgent);
    expect(await begin(patient)).toBeDefined();

    expect(await begin(urgent, Promise.resolve(read))).toBeUndefined();
    expect(await begin(urgent)).toBeUndefined();
    expect(await alone()).toBe(patient);
  });

  it('has an abandoned attempt checked first', async () => {
    const patient = await stage.send({ content: 'patient' });
    stage.dying.die({ write: 2, when: 'before' });
    await expect(stage.wake()).rejects.toThrow(Died);
    stage.dying.die(undefined);
    const urgent = await interrupt();

    expect(await stage.wake()).toEqual({ now: false, at: null });
    expect(await stage.record(urgent)).toMatchObject({ deliveryState: 'queued' });
    stage.later(31);
    expect(await stage.wake()).toMatchObject({ now: true });

    expect(await stage.record(patient)).toMatchObject({ deliveryState: 'delivered' });
    await workOff();
    expect(stage.node.taken).toEqual(['patient', 'urgent']);
  });

  it.each(deathsAt(1, 2))(
    'is delivered once when the function dies $when write $write of the urgent prompt',
    async (death) => {
      await sendBoth();
      stage.dying.die(death);
      await expect(stage.wake()).rejects.toThrow(Died);
      stage.dying.die(undefined);
      stage.later(31);

      await workOff();

      expect([...stage.node.taken].sort()).toEqual(['patient', 'urgent']);
    },
  );
});

describe('a chat that is restarted while one of its prompts is delivered', () => {
  it.each(['unqueued', 'queued'])('shows the result of that delivery: %s prompt', async (where) => {
    if (where === 'queued') await stage.send({ content: 'settled' });
    const deliveryId = await stage.send({ content: 'left' });
    if (where === 'queued') await stage.wake();
    stage.node.endTurn();
    stage.dying.die({ write: 2, when: 'before' });
    await expect(stage.deliver(deliveryId)).rejects.toThrow(Died);
    stage.dying.die(undefined);
    await putItem(stage.table, { ...chatItem(await stage.chat()), status: 'stopped' });
    const chat = await stage.chat();
    const start = aPrompt({ content: 'again' });
    await transact(stage.table, restartChat(chat, start, stage.now));
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
