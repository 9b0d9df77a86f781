import { beforeEach, describe, expect, it } from 'vitest';
import { changeItem } from '../../../lambdas/domain/records/change-item.js';
import { workspaceKey } from '../../../lambdas/domain/workspaces/workspace.js';
import { deliveryStage } from './delivery-stage.js';

const stage = deliveryStage();

const resumed = () => stage.node.stub.seen.filter((seen) => seen.endsWith('/resume')).length;

beforeEach(() => {
  stage.node.isStarted = true;
});

describe('a prompt to an agent session that does not run on its node', () => {
  it.each(['error', 'suspended'] as const)(
    'resumes the session, and is delivered then: %s',
    async (session) => {
      await stage.deliver(await stage.send({ content: 'first' }));
      stage.node.endTurn();
      stage.node.session = session;
      const deliveryId = await stage.send({ content: 'go on' });

      expect(await stage.deliver(deliveryId)).toMatchObject({ outcome: 'retry', isNew: true });
      expect(await stage.record(deliveryId)).toMatchObject({
        deliveryState: 'retry_wait',
        lastError: 'agent_failed',
      });
      stage.later(1);
      await stage.reports('idle');
      expect(await stage.deliver(deliveryId)).toMatchObject({ outcome: 'delivered' });

      expect(resumed()).toBe(1);
      expect(stage.node.taken).toEqual(['first', 'go on']);
    },
  );

  it('starts an agent that was never started at once', async () => {
    stage.node.isStarted = false;
    stage.node.session = 'error';

    expect(await stage.deliver(await stage.send())).toMatchObject({ outcome: 'delivered' });
  });

  it('fails after five attempts when its agent cannot be started', async () => {
    await stage.deliver(await stage.send({ content: 'first' }));
    stage.node.endTurn();
    Object.assign(stage.node, { session: 'error', isBroken: true });
    const deliveryId = await stage.send();

    for (let attempt = 0; attempt < 6; attempt += 1) {
      await stage.deliver(deliveryId);
      stage.later(60);
    }

    const reason = 'agent_failed';
    expect(await stage.record(deliveryId)).toMatchObject({ deliveryState: 'failed', terminalReason: reason });
    expect(await stage.shown()).toMatchObject([{}, { state: 'failed', reason }]);
    expect(resumed()).toBe(5);
    expect(stage.node.taken).toEqual(['first']);
  });

  it('fails at once when the session was stopped', async () => {
    await stage.deliver(await stage.send({ content: 'first' }));
    stage.node.endTurn();
    stage.node.session = 'stopped';

    expect(await stage.deliver(await stage.send())).toEqual({ outcome: 'failed', reason: 'dead_target' });
    expect(resumed()).toBe(0);
  });
});

it('a prompt to an agent of a stopped workspace fails with the reason workspace_stopped', async () => {
  const deliveryId = await stage.send();
  const { workspaceId } = await stage.chat();
  const key = workspaceKey(String(workspaceId));
  await changeItem(stage.table, { key, set: { status: 'stopped' }, when: { exists: true } });

  expect(await stage.deliver(deliveryId)).toEqual({ outcome: 'failed', reason: 'workspace_stopped' });
  expect(await stage.shown()).toEqual([{ deliveryId, state: 'failed', reason: 'workspace_stopped' }]);
});
