import { describe, expect, it } from 'vitest';
import { deliveryStage } from './delivery-stage.js';

const stage = deliveryStage();

describe('a delivery', () => {
  it('whose answer was lost is confirmed by its receipt', async () => {
    stage.node.losing = [/start$/];

    expect(await stage.deliver(await stage.send())).toMatchObject({ outcome: 'delivered' });

    expect(stage.node.taken).toHaveLength(1);
    expect(stage.node.stub.seen.filter((seen) => seen.endsWith('/start'))).toHaveLength(1);
  });

  it('whose answer and receipt are lost is checked half a minute later', async () => {
    stage.node.losing = [/start$/, /prompt-receipts/];
    const deliveryId = await stage.send();

    expect(await stage.deliver(deliveryId)).toEqual({
      outcome: 'retry',
      isNew: true,
      at: new Date(stage.now.getTime() + 30_000),
    });
    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivering' });
    stage.later(29);
    expect(await stage.deliver(deliveryId)).toMatchObject({ outcome: 'retry' });
    stage.later(1);
    expect(await stage.deliver(deliveryId)).toMatchObject({ outcome: 'delivered' });

    expect(stage.node.taken).toHaveLength(1);
  });

  it('is ambiguous when the node can no longer be asked, and is never sent again', async () => {
    stage.node.losing = [/start$/, /prompt-receipts/, /prompt-receipts/];
    const deliveryId = await stage.send();
    await stage.deliver(deliveryId);
    stage.later(31);

    expect(await stage.deliver(deliveryId)).toEqual({ outcome: 'ambiguous', reason: 'receipt_unavailable' });

    stage.later(60);
    expect(await stage.deliver(deliveryId)).toEqual({ outcome: 'ambiguous', reason: 'receipt_unavailable' });
    expect(stage.node.taken).toHaveLength(1);
    expect(await stage.shown()).toEqual([{ deliveryId, state: 'ambiguous', reason: 'receipt_unavailable' }]);
  });

  it('is ambiguous when the node agent was restarted in between', async () => {
    stage.node.losing = [/start$/, /prompt-receipts/];
    const deliveryId = await stage.send();
    await stage.deliver(deliveryId);
    stage.node.restart();
    stage.later(31);

    expect(await stage.deliver(deliveryId)).toEqual({ outcome: 'ambiguous', reason: 'runtime_changed' });
    expect(stage.node.taken).toHaveLength(1);
  });

  it('to an unreachable node is retried, and does not use up an attempt', async () => {
    const deliveryId = await stage.send();
    await stage.node[Symbol.asyncDispose]();

    expect(await stage.deliver(deliveryId)).toMatchObject({ outcome: 'retry' });

    expect(await stage.record(deliveryId)).toMatchObject({
      deliveryState: 'retry_wait',
      lastError: 'node_unreachable',
      runtimeIdentity: null,
    });
  });
});
