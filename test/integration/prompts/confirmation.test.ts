import { describe, expect, it } from 'vitest';
import { shownState } from '../../../lambdas/domain/prompts/prompt-state.js';
import { deliveryStage } from './delivery-stage.js';

const stage = deliveryStage();

describe('a prompt that the node has taken', () => {
  it('is shown as ambiguous when the node agent was killed before the harness received it', async () => {
    const deliveryId = await stage.send();
    await stage.deliver(deliveryId);
    stage.node.restart();

    await stage.wake();

    expect(await stage.shown()).toEqual([{ deliveryId, state: 'ambiguous', reason: 'runtime_changed' }]);
    expect(await stage.record(deliveryId)).toMatchObject({
      deliveryState: 'delivered',
      receiptState: 'ambiguous',
    });
    expect((await stage.chat()).unconfirmedId).toBeUndefined();
  });

  it('is shown as failed when the agent could not be started', async () => {
    const deliveryId = await stage.send();
    await stage.deliver(deliveryId);
    stage.node.failToStart();

    await stage.wake();

    expect(await stage.shown()).toEqual([{ deliveryId, state: 'failed', reason: 'never_invoked' }]);
    const record = await stage.record(deliveryId);
    expect(record).toMatchObject({
      deliveryState: 'delivered',
      receiptState: 'completed',
      deliveredAt: null,
    });
    expect(shownState(record)).toBe('failed');
    expect((await stage.chat()).unconfirmedId).toBeUndefined();
  });

  it('is shown as failed when another message interrupted it before its agent received it', async () => {
    const first = await stage.send();
    await stage.deliver(first);
    stage.node.failToStart();
    const second = await stage.send({ messageClass: 'interrupt' });

    await stage.deliver(second);

    expect(await stage.shown()).toEqual([
      { deliveryId: first, state: 'failed', reason: 'never_invoked' },
      { deliveryId: second, state: 'delivered', reason: null },
    ]);
    expect((await stage.chat()).unconfirmedId).toBe(second);
  });

  it('is shown as failed when its agent could not be started, also after the next message', async () => {
    const first = await stage.send();
    await stage.deliver(first);
    stage.node.failToStart();
    const second = await stage.send();

    await stage.deliver(second);

    expect(await stage.shown()).toEqual([
      { deliveryId: first, state: 'failed', reason: 'never_invoked' },
      { deliveryId: second, state: 'delivered', reason: null },
    ]);
  });

  it('is shown as ambiguous when its node is lost before the end of its turn was reported', async () => {
    const deliveryId = await stage.send();
    await stage.deliver(deliveryId);
    stage.later(1);
    await stage.reports('prompting');
    await stage.loseNode();

    await stage.wake();

    expect(await stage.shown()).toEqual([{ deliveryId, state: 'ambiguous', reason: 'lost_response' }]);
    expect((await stage.chat()).unconfirmedId).toBeUndefined();
  });

  it('stays delivered when its node is lost after the end of its turn was reported', async () => {
    const deliveryId = await stage.send();
    await stage.deliver(deliveryId);
    stage.later(1);
    await stage.reports('idle');
    await stage.loseNode();

    await stage.wake();

    expect(await stage.shown()).toEqual([{ deliveryId, state: 'delivered', reason: null }]);
    expect((await stage.chat()).unconfirmedId).toBeUndefined();
  });

  it('is confirmed before the next prompt replaces it as unconfirmed', async () => {
    const lost = await stage.send({ content: 'lost' });
    await stage.deliver(lost);
    stage.node.restart();
    await stage.send({ content: 'next' });

    await stage.wake();

    expect(stage.node.taken).toEqual(['lost', 'next']);
    expect(await stage.shown()).toMatchObject([{ state: 'ambiguous' }, { state: 'delivered' }]);
  });

  it('is not changed while its turn runs, nor after the turn has ended', async () => {
    const deliveryId = await stage.send();
    await stage.deliver(deliveryId);

    await stage.wake();
    expect((await stage.chat()).unconfirmedId).toBe(deliveryId);
    stage.node.endTurn();
    await stage.wake();

    expect((await stage.chat()).unconfirmedId).toBeUndefined();
    expect(await stage.record(deliveryId)).toMatchObject({ receiptState: 'completed' });
    expect(await stage.shown()).toMatchObject([{ state: 'delivered' }]);
  });
});
