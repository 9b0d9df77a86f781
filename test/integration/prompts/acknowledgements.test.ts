import { describe, expect, it } from 'vitest';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import type { PromptRequest } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { acknowledgePrompt } from '../../../lambdas/domain/prompts/acknowledgement.js';
import { listDueChats } from '../../../lambdas/domain/prompts/queue.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putItem } from '../../support/project.js';
import { messagesOf, queueOf } from './a-chat.js';
import { deliveryStage } from './delivery-stage.js';
import { Died } from './dying-client.js';

const stage = deliveryStage();

/** Of one agent to another. */
const mail = { sourceKind: 'agent_mailbox', senderType: 'agent', ackRequired: true } as const;
const post = (asked: Partial<PromptRequest> = {}) => stage.send({ ...mail, ...asked });
const acknowledge = (deliveryId: string) =>
  acknowledgePrompt(stage.table, { chatId: stage.chatId, deliveryId }, stage.now);

async function delivered(asked: Partial<PromptRequest> = {}): Promise<string> {
  const deliveryId = await post(asked);
  await stage.wake();
  stage.node.endTurn();
  return deliveryId;
}

/** The wake-up that is due five minutes after a delivery, and the next one. */
async function ringLate(): Promise<void> {
  stage.later(300);
  const next = await stage.wake();
  if (next.now) await stage.wake();
  stage.node.endTurn();
}

describe('a prompt that must be acknowledged', () => {
  it('shows its recipient how to acknowledge it, and is checked in five minutes', async () => {
    const deliveryId = await post({ content: 'Use green' });

    const next = await stage.wake();

    expect(next).toEqual({ now: false, at: new Date(stage.now.getTime() + 300_000) });
    expect(stage.node.taken).toEqual([
      expect.stringMatching(`^Use green\n\n.* call ack_message .*${deliveryId}`),
    ]);
    expect(await messagesOf(stage.table, stage.chatId)).toMatchObject([{ content: 'Use green' }]);
    const inMinutes = (minutes: number) => new Date(stage.now.getTime() + minutes * 60_000);
    await stage.wake();
    expect(await listDueChats(stage.table, inMinutes(6))).toContain(stage.chatId);
  });

  it('is delivered once when it is acknowledged, and a repeated acknowledgement changes nothing', async () => {
    const deliveryId = await delivered();

    for (const _ of ['first', 'again']) expect(await acknowledge(deliveryId)).toBe('acked');
    await ringLate();

    expect(stage.node.taken).toHaveLength(1);
    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'acked', redeliveries: 0 });
    expect(await queueOf(stage.table, stage.chatId)).toEqual([]);
    expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
  });

  it('is delivered again with another delivery id when it is not acknowledged', async () => {
    const deliveryId = await delivered({ content: 'Use green' });

    await ringLate();

    expect(stage.node.deliveryIds).toEqual([deliveryId, `${deliveryId}.1`]);
    expect(stage.node.taken[1]).toMatch(/^This message was sent to you before.*\n\nUse green\n\n/);
    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivered', redeliveries: 1 });
    expect(await messagesOf(stage.table, stage.chatId)).toHaveLength(1);
    expect(await acknowledge(deliveryId)).toBe('acked');
  });

  it('is delivered at most six times, and shown as delivered and not acknowledged', async () => {
    const deliveryId = await delivered();

    for (let minutes = 0; minutes < 40; minutes += 5) await ringLate();

    expect(stage.node.deliveryIds).toHaveLength(6);
    expect(new Set(stage.node.deliveryIds).size).toBe(6);
    const reason = 'not_acknowledged';
    expect(await stage.record(deliveryId)).toMatchObject({
      deliveryState: 'expired',
      terminalReason: reason,
    });
    expect(await stage.shown()).toEqual([{ deliveryId, state: 'delivered', reason }]);
    expect(await queueOf(stage.table, stage.chatId)).toEqual([]);
    expect(await acknowledge(deliveryId)).toBe('expired');
  });

  it('is not delivered again while its recipient works', async () => {
    const deliveryId = await delivered();
    stage.later(290);
    await stage.reports('prompting');
    stage.later(10);

    expect(await stage.wake()).toEqual({ now: false, at: null });

    await stage.reports('idle');
    expect(await stage.wake()).toEqual({ now: true, at: null });
    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'queued', redeliveries: 1 });
  });

  it('is not delivered when it was acknowledged before', async () => {
    stage.node.isBusy = true;
    const deliveryId = await post();
    await stage.wake();

    expect(await acknowledge(deliveryId)).toBe('acked');
    stage.node.endTurn();
    await ringLate();

    expect(stage.node.taken).toEqual([]);
    expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
    expect(await stage.shown()).toEqual([{ deliveryId, state: 'delivered', reason: null }]);
  });

  it('can be acknowledged during a redelivery, and its chat continues', async () => {
    const deliveryId = await delivered();
    stage.node.losing = [/prompt$/, /prompt-receipts/];
    await ringLate();
    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'delivering' });

    expect(await acknowledge(deliveryId)).toBe('acked');

    const next = await stage.send({ content: 'next' });
    await stage.wake();
    expect(await stage.record(next)).toMatchObject({ deliveryState: 'delivered' });
  });

  it('is given up when its session has ended', async () => {
    const deliveryId = await delivered();
    await putItem(stage.table, { ...chatItem(await stage.chat()), status: 'stopped' });

    await ringLate();

    expect(stage.node.taken).toHaveLength(1);
    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'expired' });
  });

  it('is delivered again after its agent was killed, and is not shown as ambiguous then', async () => {
    const deliveryId = await post();
    await stage.wake();
    stage.node.restart();
    await stage.wake();
    expect(await stage.shown()).toMatchObject([{ state: 'ambiguous' }]);

    await ringLate();

    expect(stage.node.deliveryIds).toEqual([deliveryId, `${deliveryId}.1`]);
    expect(await stage.shown()).toMatchObject([{ state: 'delivered', reason: null }]);
  });

  it('is the only kind of prompt that can be acknowledged', async () => {
    await expect(acknowledge(await stage.send())).rejects.toThrow('acknowledgement');
    await expect(acknowledge(newId())).rejects.toThrow('not found');
  });
});

describe('a function that dies', () => {
  it.each(['before', 'after'] as const)(
    '%s queueing a redelivery delivers the prompt again once',
    async (when) => {
      const deliveryId = await delivered();
      stage.later(300);
      stage.dying.die({ write: 1, when });
      await expect(stage.wake()).rejects.toThrow(Died);
      stage.dying.die(undefined);

      for (const _ of ['queue', 'sweep']) await stage.wake();

      expect(stage.node.deliveryIds).toEqual([deliveryId, `${deliveryId}.1`]);
      expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
    },
  );

  it.each(['before', 'after'] as const)('%s an acknowledgement lets it be repeated', async (when) => {
    const deliveryId = await delivered();
    stage.dying.die({ write: 1, when });
    await expect(acknowledge(deliveryId)).rejects.toThrow(Died);
    stage.dying.die(undefined);

    expect(await acknowledge(deliveryId)).toBe('acked');
    expect(await queueOf(stage.table, stage.chatId)).toEqual([]);
  });
});
