import { describe, expect, it } from 'vitest';
import { deliverLoaded } from '../../../lambdas/domain/prompts/delivery-attempt.js';
import { loadDelivery } from '../../../lambdas/domain/prompts/load-delivery.js';
import { listDueChats } from '../../../lambdas/domain/prompts/queue.js';
import { deliveryStage } from './delivery-stage.js';

const stage = deliveryStage();

/** Runs the sweep `seconds` from now; returns the chats that it wakes. */
const isRungIn = async (seconds: number) =>
  (await listDueChats(stage.table, new Date(stage.now.getTime() + seconds * 1_000))).includes(stage.chatId);

/** A turn from the message to its end. */
async function turn(): Promise<string> {
  const deliveryId = await stage.send();
  await stage.wake();
  expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivered' });
  stage.later(1);
  stage.node.endTurn();
  await stage.reports('idle');
  return deliveryId;
}

describe('an unconfirmed prompt', () => {
  it('makes the sweep wake its chat two minutes later', async () => {
    await stage.deliver(await stage.send());

    expect(await isRungIn(60)).toBe(false);
    expect(await isRungIn(180)).toBe(true);
  });

  it('uses the confirm marker of an earlier prompt that is not due yet', async () => {
    await turn();
    const { confirmAt } = await stage.chat();
    stage.later(60);

    const second = await turn();

    expect(await stage.chat()).toMatchObject({ unconfirmedId: second, confirmAt });
    expect(await isRungIn(75)).toBe(true);
  });

  it('puts a confirm marker of its own when the earlier one is overdue', async () => {
    await turn();
    stage.later(130);

    await turn();

    expect(await isRungIn(60)).toBe(false);
    expect(await isRungIn(180)).toBe(true);
  });

  it('is checked when the marker of another prompt is due, and again later while its turn runs', async () => {
    await turn();
    stage.later(100);
    const second = await stage.send();
    await stage.wake();
    stage.later(40);
    expect(await isRungIn(0)).toBe(true);

    await stage.wake();
    expect(await isRungIn(60)).toBe(false);
    stage.node.endTurn();
    stage.later(140);
    expect(await isRungIn(0)).toBe(true);
    await stage.wake();

    expect(await stage.record(second)).toMatchObject({ receiptState: 'completed' });
    expect(await isRungIn(600)).toBe(false);
  });

  it('puts a marker when the one that was read has been removed since', async () => {
    await turn();
    const deliveryId = await stage.send();
    const read = await stage.chat();
    // A wake-up without work, a moment before.
    await stage.confirmLast();
    expect((await stage.chat()).confirmAt).toBeUndefined();

    const loaded = await loadDelivery(stage.table, read, deliveryId);
    await deliverLoaded(stage.table, stage.parts, loaded);

    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivered' });
    expect(await stage.chat()).toMatchObject({ unconfirmedId: deliveryId });
    expect(await isRungIn(180)).toBe(true);
  });

  it('puts a marker when the earlier prompt was found ambiguous first', async () => {
    await stage.deliver(await stage.send());
    stage.node.restart();

    const next = await stage.send();
    stage.calls.reset();
    await stage.deliver(next);

    // Three writes: the result of the earlier prompt, the attempt and its result.
    const writes = stage.calls.names.filter((name) => /^(Transact|Update)/.test(name));
    expect(writes).toHaveLength(3);
    expect(await stage.chat()).toMatchObject({ unconfirmedId: next });
    expect(await isRungIn(180)).toBe(true);
  });
});
