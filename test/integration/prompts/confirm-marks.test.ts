import { describe, expect, it } from 'vitest';
import { deliverLoaded } from '../../../lambdas/domain/prompts/attempt-delivery.js';
import { listDueChats } from '../../../lambdas/domain/prompts/list-due-chats.js';
import { loadDelivery } from '../../../lambdas/domain/prompts/load-delivery.js';
import { deliveryStage } from './delivery-stage.js';

const stage = deliveryStage();

/** The sweep rings for the chat that many seconds from now. */
const isRungIn = async (seconds: number) =>
  (await listDueChats(stage.table, new Date(stage.now.getTime() + seconds * 1_000))).includes(stage.chatId);

/** A turn from the message to its end. */
async function turn(): Promise<string> {
  const deliveryId = await stage.send();
  await stage.ring();
  expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivered' });
  stage.later(1);
  stage.node.endTurn();
  await stage.reports('idle');
  return deliveryId;
}

describe('what the node has taken', () => {
  it('is rung for two minutes later when nothing else has', async () => {
    await stage.deliver(await stage.send());

    expect(await isRungIn(60)).toBe(false);
    expect(await isRungIn(180)).toBe(true);
  });

  it('is rung for with the mark of the one before it, where that is still to come', async () => {
    await turn();
    const { confirmDueAt } = await stage.chat();
    stage.later(60);

    const second = await turn();

    expect(await stage.chat()).toMatchObject({ unconfirmedId: second, confirmDueAt });
    expect(await isRungIn(75)).toBe(true);
  });

  it('has a mark of its own where that of the one before it is overdue', async () => {
    await turn();
    stage.later(130);

    await turn();

    expect(await isRungIn(60)).toBe(false);
    expect(await isRungIn(180)).toBe(true);
  });

  it('is asked about when the mark of another one is due, and again later while its turn runs', async () => {
    await turn();
    stage.later(100);
    const second = await stage.send();
    await stage.ring();
    stage.later(40);
    expect(await isRungIn(0)).toBe(true);

    await stage.ring();
    expect(await isRungIn(60)).toBe(false);
    stage.node.endTurn();
    stage.later(140);
    expect(await isRungIn(0)).toBe(true);
    await stage.ring();

    expect(await stage.record(second)).toMatchObject({ receiptState: 'completed' });
    expect(await isRungIn(600)).toBe(false);
  });

  it('has a mark, too, when the one that its chat was read with was taken away meanwhile', async () => {
    await turn();
    const deliveryId = await stage.send();
    const read = await stage.chat();
    // A bell that found nothing to deliver, a moment before.
    await stage.confirmLast();
    expect((await stage.chat()).confirmDueAt).toBeUndefined();

    const loaded = await loadDelivery(stage.table, read, deliveryId);
    await deliverLoaded(stage.table, stage.parts, loaded);

    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivered' });
    expect(await stage.chat()).toMatchObject({ unconfirmedId: deliveryId });
    expect(await isRungIn(180)).toBe(true);
  });

  it('has a mark, too, when the one before it was found cut off first', async () => {
    await stage.deliver(await stage.send());
    stage.node.restart();

    const next = await stage.send();
    stage.calls.reset();
    await stage.deliver(next);

    // What became of the one before, the attempt, and its end.
    const writes = stage.calls.names.filter((name) => /^(Transact|Update)/.test(name));
    expect(writes).toHaveLength(3);
    expect(await stage.chat()).toMatchObject({ unconfirmedId: next });
    expect(await isRungIn(180)).toBe(true);
  });
});
