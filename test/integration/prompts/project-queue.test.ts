import { describe, expect, it } from 'vitest';
import { chatItem } from '../../../lambdas/domain/chats/chat.js';
import { acknowledgePrompt } from '../../../lambdas/domain/prompts/acknowledgement.js';
import { restartChat } from '../../../lambdas/domain/prompts/start-chat.js';
import { transact } from '../../../lambdas/domain/records/transact.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { putItem } from '../../support/project.js';
import { aPrompt } from './a-chat.js';
import { deliveryStage } from './delivery-stage.js';
import { queuedInProject } from './expect-consistent-records.js';

const stage = deliveryStage();
const queued = async () => queuedInProject(stage.table, (await stage.chat()).projectId);
const mail = { sourceKind: 'agent_mailbox', senderType: 'agent', ackRequired: true } as const;

const acknowledge = (deliveryId: string) =>
  acknowledgePrompt(stage.table, { chatId: stage.chatId, deliveryId }, stage.now);

/** Wakes the chat and ends turns until nothing waits. */
async function workOff(): Promise<void> {
  for (let wakeUp = 0; wakeUp < 10; wakeUp += 1) {
    await stage.wake();
    stage.node.endTurn();
    stage.later(1);
    await stage.reports('idle');
  }
  expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
}

async function end(status: 'stopped' | 'error'): Promise<void> {
  await putItem(stage.table, { ...chatItem(await stage.chat()), status });
}

describe('the queue of a project', () => {
  it('counts queued prompts, and not unqueued ones', async () => {
    await stage.send();
    expect(await queued()).toBe(0);

    for (const count of [1, 2]) {
      await stage.send();
      expect(await queued()).toBe(count);
    }
    await workOff();

    expect(stage.node.taken).toHaveLength(3);
    expect(await queued()).toBe(0);
  });

  const sender = newId();
  it.each<[string, () => Promise<void>]>([
    ['is too late', async () => stage.later(3_601)],
    ['is to a session that has ended', () => end('stopped')],
    ['is to a session whose agent is gone', () => end('error')],
    [
      'is superseded',
      async () => void (await stage.send({ sourceTaskId: sender, messageClass: 'preempt_and_replan' })),
    ],
    ['is shut out', async () => void (await stage.send({ messageClass: 'shutdown_with_final_prompt' }))],
  ])('has nothing left of what %s', async (_, happen) => {
    for (let count = 0; count < 3; count += 1) await stage.send({ sourceTaskId: sender });
    expect(await queued()).toBe(2);

    await happen();
    await workOff();

    expect(stage.node.taken.length).toBeLessThan(2);
    expect(await queued()).toBe(0);
  });

  it('is empty after a retry has delivered the prompt', async () => {
    stage.node.isBusy = true;
    for (let count = 0; count < 2; count += 1) await stage.send();
    await stage.wake();
    expect(await queued()).toBe(1);
    stage.later(10);

    stage.node.endTurn();
    await workOff();

    expect(await queued()).toBe(0);
  });

  it('is empty after an ambiguous delivery', async () => {
    stage.node.losing = [/start$/, /prompt-receipts/, /prompt-receipts/];
    await stage.send();
    await stage.send();
    await stage.wake();
    stage.later(31);
    await workOff();

    expect(await stage.shown()).toMatchObject([{ state: 'ambiguous' }, { state: 'delivered' }]);
    expect(await queued()).toBe(0);
  });

  it('is empty after an acknowledgement before delivery, first in the queue or not', async () => {
    const ids = [await stage.send(mail), await stage.send(mail), await stage.send(mail)];
    expect(await queued()).toBe(2);

    for (const id of ids) await acknowledge(id);

    expect(await queued()).toBe(0);
  });

  it('counts a redelivery until it is acknowledged or given up', async () => {
    const deliveryId = await stage.send(mail);
    await workOff();
    for (const left of [1, 0]) {
      stage.later(300);
      await stage.wake();
      expect(await queued()).toBe(1);
      if (left > 0) await workOff();
      else await acknowledge(deliveryId);
      expect(await queued()).toBe(0);
    }
  });

  it('counts the prompt that restarts a chat in which another one still waits', async () => {
    await stage.send();
    await end('stopped');

    await transact(stage.table, restartChat(await stage.chat(), aPrompt(), stage.now));

    expect(await queued()).toBe(1);
  });
});
