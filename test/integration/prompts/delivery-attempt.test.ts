import { describe, expect, it } from 'vitest';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { putItem } from '../../support/project.js';
import { queueOf } from './a-chat.js';
import { deliveryStage } from './delivery-stage.js';

const stage = deliveryStage();

describe('a delivery', () => {
  it('reaches the node and is shown as delivered, in at most six table calls', async () => {
    const deliveryId = await stage.send({ content: 'Fix it' });

    stage.calls.reset();
    expect(await stage.deliver(deliveryId)).toMatchObject({ outcome: 'delivered' });

    expect(stage.calls.names.length, stage.calls.names.join()).toBeLessThanOrEqual(6);
    expect(stage.node.taken).toEqual(['Fix it']);
    expect(await stage.record(deliveryId)).toMatchObject({
      deliveryState: 'delivered',
      kind: 'start',
      receiptState: 'in_flight',
      runtimeIdentity: 'run-1',
      deliveryAttempts: 1,
    });
    expect(await stage.shown()).toEqual([{ deliveryId, state: 'delivered', reason: null }]);
    expect(await queueOf(stage.table, stage.chatId)).toEqual([]);
    const after = await stage.chat();
    expect(after).toMatchObject({ queuedPrompts: 0, isStarted: true });
    expect(after.deliveringId).toBeUndefined();
  });

  it('is made once, however often it is attempted', async () => {
    const deliveryId = await stage.send();
    await stage.deliver(deliveryId);

    expect(await Promise.all([stage.deliver(deliveryId), stage.deliver(deliveryId)])).toMatchObject([
      { outcome: 'delivered' },
      { outcome: 'delivered' },
    ]);
    expect(stage.node.stub.seen.filter((seen) => seen.endsWith('/start'))).toHaveLength(1);
  });

  it('is made by one of several concurrent workers', async () => {
    const deliveryId = await stage.send();

    const outcomes = await Promise.all(Array.from({ length: 5 }, () => stage.deliver(deliveryId)));

    expect(outcomes.filter(({ outcome }) => outcome === 'delivered').length).toBeGreaterThanOrEqual(1);
    expect(stage.node.stub.seen.filter((seen) => seen.endsWith('/start'))).toHaveLength(1);
    expect(stage.node.taken).toHaveLength(1);
  });

  it('starts the agent with the first prompt, and sends later ones as they are', async () => {
    await stage.deliver(await stage.send({ content: 'first' }));
    stage.node.endTurn();
    await stage.deliver(await stage.send({ content: 'second' }));

    const paths = stage.node.stub.seen
      .filter((seen) => /(start|prompt)$/.test(seen))
      .map((seen) => seen.split('/').at(-1));
    expect(paths).toEqual(['start', 'prompt']);
    expect(stage.node.taken).toEqual(['first', 'second']);
  });

  it('starts an agent again whose conversation a wake has lost since an attempt during the sleep', async () => {
    await stage.deliver(await stage.send({ content: 'before' }));
    stage.node.endTurn();
    const key = workspaceKey(String((await stage.chat()).workspaceId));
    await changeItem(stage.table, { key, set: { status: 'sleeping' }, when: { exists: true } });
    const deliveryId = await stage.send({ content: 'after' });
    await stage.deliver(deliveryId);
    expect(await stage.record(deliveryId)).toMatchObject({ kind: 'prompt', lastError: 'target_asleep' });

    stage.node.isStarted = false;
    await changeItem(stage.table, { key, set: { status: 'running' }, when: { exists: true } });
    await putItem(stage.table, { ...chatItem(await stage.chat()), isStarted: false });

    expect(await stage.deliver(deliveryId)).toMatchObject({ outcome: 'delivered' });
    expect(stage.node.taken).toEqual(['before', 'after']);
  });

  it('waits for a working agent, and is attempted again when the agent is idle', async () => {
    stage.node.isStarted = true;
    stage.node.isBusy = true;
    const deliveryId = await stage.send();

    const delivery = await stage.deliver(deliveryId);

    expect(delivery).toEqual({ outcome: 'retry', isNew: true, at: new Date(stage.now.getTime() + 5_000) });
    expect(await stage.record(deliveryId)).toMatchObject({
      deliveryState: 'retry_wait',
      lastError: 'busy',
    });
    expect(await stage.shown()).toMatchObject([{ state: 'queued' }]);
    expect(await stage.deliver(deliveryId)).toMatchObject({ outcome: 'retry' });
    stage.node.endTurn();
    stage.later(5);
    expect(await stage.deliver(deliveryId)).toMatchObject({ outcome: 'delivered' });
    expect(stage.node.taken).toHaveLength(1);
  });

  it('of an interruption cancels the running turn first', async () => {
    await stage.deliver(await stage.send({ content: 'long work' }));

    expect(
      await stage.deliver(await stage.send({ content: 'stop that', messageClass: 'interrupt' })),
    ).toMatchObject({ outcome: 'delivered' });

    expect(stage.node.cancelled).toEqual(['long work']);
    expect(stage.node.taken).toEqual(['long work', 'stop that']);
  });

  it('fails on a node without receipts', async () => {
    stage.node.receiptsSupported = false;

    expect(await stage.deliver(await stage.send())).toEqual({
      outcome: 'failed',
      reason: 'unsupported_capability',
    });
    expect(stage.node.taken).toEqual([]);
  });

  it('fails with the reason terminal_target when its session has ended', async () => {
    const deliveryId = await stage.send();
    await putItem(stage.table, { ...chatItem(await stage.chat()), status: 'stopped' });

    expect(await stage.deliver(deliveryId)).toEqual({ outcome: 'failed', reason: 'terminal_target' });

    expect(await stage.shown()).toEqual([{ deliveryId, state: 'failed', reason: 'terminal_target' }]);
    expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
  });

  it('expires after an hour', async () => {
    const deliveryId = await stage.send();
    stage.later(3_600);

    expect(await stage.deliver(deliveryId)).toEqual({ outcome: 'failed', reason: 'deadline_passed' });

    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'expired' });
    expect(await stage.shown()).toMatchObject([{ state: 'failed', reason: 'deadline_passed' }]);
  });

  it('waits while another prompt of its session is being delivered', async () => {
    const first = await stage.send({ content: 'first' });
    const second = await stage.send({ content: 'second' });
    stage.node.losing = [/start$/, /prompt-receipts/];
    await stage.deliver(first);

    expect(await stage.deliver(second)).toMatchObject({ outcome: 'retry' });
    expect(stage.node.taken).toEqual(['first']);
  });
});
