import { beforeAll, describe, expect, it, vi } from 'vitest';
import { acceptPrompt } from '../../../lambdas/domain/prompts/accept-prompt.js';
import { deliverNext } from '../../../lambdas/domain/prompts/delivery-worker.js';
import { findTask } from '../../../lambdas/domain/tasks/load-task.js';
import { endLostSessions } from '../../../lambdas/domain/tasks/workspace-loss.js';
import { awaitRestore } from '../../../lambdas/domain/wake/await-restore.js';
import { finishWake } from '../../../lambdas/domain/wake/finish-wake.js';
import { requestWake } from '../../../lambdas/domain/wake/request-wake.js';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { markErrored } from '../../../lambdas/domain/workspaces/provisioning.js';
import { failAfterNodeLoss } from '../../../lambdas/domain/workspaces/running-failure.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import type { RestoreResult } from '../../../protocol/snapshot-callbacks.js';
import { putTask } from '../../support/put-task.js';
import { sharedTable } from '../../support/table.js';
import { aPrompt, messagesOf, putMembership, readChat, readPrompt } from '../prompts/a-chat.js';
import { SleepingWorkspace } from './sleeping-workspace.js';

let table: Table;
beforeAll(() => {
  table = sharedTable();
});

const now = new Date();
const wake = ({ workspaceId }: SleepingWorkspace) => requestWake(table, { workspaceId, now, newId });
const errorMessage = 'No node has room.';

/** Woken up to the point where its node restores it. */
async function restoring(sleeper: SleepingWorkspace) {
  await wake(sleeper);
  const { generation } = await sleeper.row();
  const nodeId = newId();
  const { workspaceId } = sleeper;
  await changeWorkspace(table, { workspaceId, move: 'place', to: 'provisioning', set: { nodeId }, now });
  await changeWorkspace(table, { workspaceId, move: 'ready', to: 'running', now });
  const waiting = await awaitRestore(table, { workspaceId, generation, taskToken: 'of-restore', now });
  const result = (more: Partial<RestoreResult> = {}): RestoreResult => ({
    chatSessionId: sleeper.chatId,
    operationId: waiting.operationId,
    status: 'restored',
    message: null,
    missing: [],
    sessions: [{ agentSessionId: sleeper.agentSessionId, agentType: 'claude-code', hasConversation: true }],
    ...more,
  });
  const finish = (more: Partial<RestoreResult> = {}, at = generation) =>
    finishWake(table, { workspaceId, nodeId, generation: at, result: result(more), now });
  return { waiting, finish, generation };
}

describe('a request to wake a workspace', () => {
  it('starts its next generation once, however many come at once', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    const former = await sleeper.row();

    const wanted = await Promise.all(Array.from({ length: 8 }, () => wake(sleeper)));

    const row = await sleeper.row();
    expect(row).toMatchObject({
      status: 'pending',
      generation: 3,
      restartMode: 'restart',
      formerNodeId: former.nodeId,
      wake: { attempt: 1, phase: 'placing' },
    });
    const operations = wanted.map((one) => (one.is === 'waking' ? one.workspace.wake?.operationId : one.is));
    expect(new Set(operations)).toEqual(new Set([row.wake?.operationId]));
  });

  it('waits while its node still stops it', async () => {
    const sleep = {
      claimId: newId(),
      claimedAt: now.toISOString(),
      by: 'idle',
      phase: 'stopping',
      from: 'running',
    } as const;
    const sleeper = await SleepingWorkspace.make(table, { sleep });

    expect(await wake(sleeper)).toEqual({ is: 'falling_asleep' });
    expect(await sleeper.row()).toMatchObject({ status: 'sleeping', generation: 2 });
  });

  it.each(['running', 'stopped', 'errored'] as const)('changes no %s workspace', async (status) => {
    const sleeper = await SleepingWorkspace.make(table, { status });

    expect(await wake(sleeper)).toMatchObject({ is: 'not_asleep' });
    expect((await sleeper.row()).generation).toBe(2);
  });

  it('is refused when its owner was removed from the project', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    await putMembership(table, await sleeper.chat(), { status: 'removed' });

    await expect(wake(sleeper)).rejects.toMatchObject({ kind: 'forbidden' });
    expect((await sleeper.row()).status).toBe('sleeping');
  });
});

describe('a wake that fails', () => {
  it.each(['placing', 'restoring'] as const)(
    'while %s keeps snapshot, chat and agent session',
    async (phase) => {
      const sleeper = await SleepingWorkspace.make(table);
      if (phase === 'restoring') await restoring(sleeper);
      else await wake(sleeper);
      const { workspaceId } = sleeper;

      expect(await markErrored(table, { workspaceId, generation: 3 }, { errorMessage, now })).toMatchObject({
        undo: true,
      });
      await endLostSessions({ table, now, wake: async () => {} } as never, workspaceId);

      const row = await sleeper.row();
      expect(row).toMatchObject({ status: 'sleeping', wakeFailure: { attempts: 1, reason: errorMessage } });
      expect(row.wake).toBeUndefined();
      expect(await sleeper.chat()).toMatchObject({ status: 'sleeping' });
      expect(await sleeper.session()).toMatchObject({ status: 'running' });
    },
  );

  it('is tried three times, and again for a later message', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    const attempts: (number | undefined)[] = [];
    for (let round = 0; round < 4; round += 1) {
      await wake(sleeper);
      const { wake: claimed, generation } = await sleeper.row();
      attempts.push(claimed?.attempt);
      await markErrored(table, { workspaceId: sleeper.workspaceId, generation }, { errorMessage, now });
    }

    expect(attempts).toEqual([1, 2, 3, 1]);
  });

  it('with its node sleeps again, and a repeat of the loss changes nothing', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    await restoring(sleeper);
    const waking = await sleeper.row();

    await failAfterNodeLoss(table, waking, now);
    await failAfterNodeLoss(table, waking, now);

    expect(await sleeper.row()).toMatchObject({ status: 'sleeping', wakeFailure: { attempts: 1 } });
  });

  it('ends its sessions when a person stops it', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    await wake(sleeper);
    const { userId, workspaceId } = await sleeper.row();

    await claimStop(table, { workspaceId, userId, now });
    const log = { info: vi.fn() };
    await endLostSessions({ table, now, log, wake: async () => {} } as never, workspaceId);

    expect(await sleeper.chat()).toMatchObject({ status: 'stopped', endReason: 'workspace_stopped' });
    expect(await wake(sleeper)).toMatchObject({ is: 'not_asleep' });
    expect((await sleeper.row()).wake).toBeUndefined();
  });
});

describe('the result of a restore', () => {
  it('continues chat and agent session in the new generation, once', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    const { finish, generation } = await restoring(sleeper);

    const finished = await Promise.all([finish(), finish(), finish()]);

    expect(finished).toEqual(Array(3).fill({ outcome: 'woken', taskToken: 'of-restore', waiting: [] }));
    const row = await sleeper.row();
    expect(row).toMatchObject({ status: 'running', generation });
    expect(row.wake).toBeUndefined();
    expect(await sleeper.session()).toMatchObject({ status: 'running' });
    const chat = await sleeper.chat();
    expect(chat).toMatchObject({
      status: 'active',
      isStarted: true,
      restore: { status: 'restored', missing: [] },
    });
    expect(await messagesOf(table, sleeper.chatId)).toEqual([]);
  });

  it('continues the conversation that slept, and a failed wake lets it sleep', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    const { projectId, taskId } = await putTask(table, await sleeper.chat(), { status: 'sleeping' });
    const first = await restoring(sleeper);
    await markErrored(table, { workspaceId: sleeper.workspaceId, generation: 3 }, { errorMessage, now });
    expect((await findTask(table, projectId, taskId))?.status).toBe('sleeping');
    await expect(first.finish()).rejects.toMatchObject({ code: 'STALE' });

    const { finish } = await restoring(sleeper);
    await Promise.all([finish(), finish()]);

    expect(await findTask(table, projectId, taskId)).toMatchObject({ status: 'in_progress', version: 2 });
  });

  it('of another operation or generation changes nothing', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    const { finish } = await restoring(sleeper);

    await expect(finish({ operationId: newId() })).rejects.toMatchObject({ code: 'STALE' });
    await expect(finish({}, 2)).rejects.toMatchObject({ name: 'StaleGeneration' });
    expect(await sleeper.chat()).toMatchObject({ status: 'sleeping' });
  });

  it('with missing parts is shown in the chat', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    const { finish } = await restoring(sleeper);
    const missing = [{ part: 'work' as const, path: 'repo', reason: 'The remote lost a commit' }];

    await Promise.all([finish({ status: 'degraded', missing }), finish({ status: 'degraded', missing })]);

    expect(await sleeper.chat()).toMatchObject({
      status: 'active',
      restore: { status: 'degraded', missing },
    });
    const messages = await messagesOf(table, sleeper.chatId);
    expect(messages.map(({ content }) => content)).toEqual([
      'The workspace is awake, but its snapshot could not be restored completely. Missing:\n- changes in the repository (repo): The remote lost a commit',
    ]);
  });

  it('without a whole part is tried again, and accepted at the last attempt', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    for (const attempt of [1, 2]) {
      const { finish, generation } = await restoring(sleeper);
      expect(await finish({ status: 'home_failed' })).toMatchObject({ outcome: 'failed' });
      expect(await sleeper.row()).toMatchObject({ status: 'running', wake: { attempt } });
      await markErrored(table, { workspaceId: sleeper.workspaceId, generation }, { errorMessage, now });
    }
    const { finish } = await restoring(sleeper);

    expect(await finish({ status: 'home_failed' })).toMatchObject({ outcome: 'woken' });
    expect(await sleeper.chat()).toMatchObject({ status: 'active', restore: { status: 'degraded' } });
  });

  it('without the conversation lets the next prompt start the agent', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    const { finish } = await restoring(sleeper);

    await finish({ status: 'fresh_injection_failed', sessions: [] });

    const chat = await sleeper.chat();
    expect(chat.isStarted).toBeUndefined();
    expect(chat).toMatchObject({ status: 'active', restore: { status: 'degraded' } });
  });
});

describe('a prompt to a sleeping chat', () => {
  async function accepted(sleeper: SleepingWorkspace) {
    const chat = await readChat(table, sleeper.chatId);
    return acceptPrompt(table, aPrompt({ senderId: chat.userId }), { chat, now });
  }
  const deliver = (sleeper: SleepingWorkspace, woken: string[]) =>
    deliverNext(
      table,
      { keys: {} as never, now, newId, wake: async (id) => void woken.push(id) },
      sleeper.chatId,
    );

  it('waits for a day, wakes the workspace, and is reported with the woken chat', async () => {
    const sleeper = await SleepingWorkspace.make(table);
    const { deliveryId } = await accepted(sleeper);
    const woken: string[] = [];

    await deliver(sleeper, woken);

    expect(woken).toEqual([sleeper.workspaceId]);
    const prompt = await readPrompt(table, sleeper.chatId, deliveryId);
    expect(prompt).toMatchObject({ deliveryState: 'retry_wait', lastError: 'target_asleep' });
    expect(Date.parse(prompt.deadlineAt) - now.getTime()).toBe(24 * 60 * 60_000);
    const { finish } = await restoring(sleeper);
    expect(await finish()).toMatchObject({ waiting: [sleeper.chatId] });
  });

  it('fails when the last attempt to wake failed after it, and a later one does not', async () => {
    const sleeper = await SleepingWorkspace.make(table, {
      wakeFailure: { attempts: 3, failedAt: new Date(now.getTime() + 1).toISOString(), reason: errorMessage },
    });
    const { deliveryId } = await accepted(sleeper);
    const woken: string[] = [];

    await deliver(sleeper, woken);

    expect(woken).toEqual([]);
    expect(await readPrompt(table, sleeper.chatId, deliveryId)).toMatchObject({
      deliveryState: 'failed',
      terminalReason: 'wake_failed',
    });
    const { workspaceId } = sleeper;
    const set = { wakeFailure: { attempts: 3, failedAt: new Date(0).toISOString(), reason: errorMessage } };
    await changeWorkspace(table, { workspaceId, set, now });
    await accepted(sleeper);
    await deliver(sleeper, woken);
    expect(woken).toEqual([workspaceId]);
  });
});
