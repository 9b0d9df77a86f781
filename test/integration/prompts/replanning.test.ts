import { describe, expect, it } from 'vitest';
import { newId } from '../../../lambdas/shared/ids.js';
import { deliveryStage } from './delivery-stage.js';
import { Died } from './dying-client.js';

const stage = deliveryStage();

const parent = newId();
const fromParent = { sourceKind: 'agent_mailbox', senderType: 'agent', sourceTaskId: parent } as const;
const replan = (content: string) =>
  stage.send({ ...fromParent, content, messageClass: 'preempt_and_replan' });

/** Handles wake-ups until none sends another one. */
async function ringOut(): Promise<void> {
  for (let next = await stage.wake(); next.now; next = await stage.wake());
}

describe('a replan', () => {
  it('cancels the running turn, and asks the agent to make a new plan', async () => {
    await stage.send({ content: 'long work' });
    await stage.wake();

    await replan('Do this');
    await stage.wake();

    expect(stage.node.cancelled).toEqual(['long work']);
    expect(stage.node.taken).toEqual(['long work', expect.stringMatching(/^Do this\n\n.*make a new plan/)]);
  });

  it('makes undelivered earlier prompts of its sender fail, and no others', async () => {
    stage.node.isBusy = true;
    const before = await stage.send({ ...fromParent, content: 'old plan' });
    const person = await stage.send({ content: 'a person' });
    const other = await stage.send({ ...fromParent, sourceTaskId: newId(), content: 'another agent' });
    await replan('new plan');
    const after = await stage.send({ ...fromParent, content: 'more of it' });

    await ringOut();

    expect(stage.node.taken).toEqual([expect.stringContaining('new plan')]);
    expect(await stage.record(before)).toMatchObject({
      deliveryState: 'failed',
      terminalReason: 'superseded',
    });
    for (const deliveryId of [person, other, after])
      expect(await stage.record(deliveryId)).not.toMatchObject({ deliveryState: 'failed' });
    expect(await stage.chat()).toMatchObject({ queuedPrompts: 3 });
  });

  it('is interrupted by a later interruption, and not by an earlier one', async () => {
    await stage.send({ content: 'long work' });
    await stage.wake();
    await stage.send({ content: 'earlier', messageClass: 'interrupt' });
    await replan('new plan');

    await ringOut();
    expect(stage.node.cancelled).toEqual(['long work']);
    await stage.send({ content: 'later', messageClass: 'interrupt' });
    stage.node.endTurn();
    stage.later(300);
    await ringOut();

    expect(stage.node.taken.slice(1)).toEqual([expect.stringContaining('new plan'), 'earlier', 'later']);
    expect(stage.node.cancelled).toEqual(['long work', 'earlier']);
  });

  it.each([1, 2, 3].flatMap((write) => (['before', 'after'] as const).map((when) => ({ write, when }))))(
    'is delivered once when a function dies $when write $write',
    async (death) => {
      stage.node.isStarted = true;
      const before = await stage.send({ ...fromParent, content: 'old plan' });
      await replan('new plan');
      stage.dying.die(death);
      await expect(ringOut()).rejects.toThrow(Died);
      stage.dying.die(undefined);

      for (let sweep = 0; sweep < 3; sweep += 1) {
        await ringOut();
        stage.later(60);
      }

      expect(stage.node.taken).toEqual([expect.stringContaining('new plan')]);
      expect(await stage.record(before)).toMatchObject({ terminalReason: 'superseded' });
      expect(await stage.chat()).toMatchObject({ queuedPrompts: 0 });
    },
  );
});
