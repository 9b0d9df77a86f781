import { beforeAll, describe, expect, it } from 'vitest';
import { projectItem } from '../../../lambdas/domain/projects/project.js';
import { endLostSessions } from '../../../lambdas/domain/tasks/workspace-loss.js';
import { awaitRestore } from '../../../lambdas/domain/wake/await-restore.js';
import { finishWake } from '../../../lambdas/domain/wake/finish-wake.js';
import { requestWake } from '../../../lambdas/domain/wake/request-wake.js';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { markErrored } from '../../../lambdas/domain/workspaces/provisioning.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { RestoreResult } from '../../../protocol/snapshot-callbacks.js';
import { aProject, putItem } from '../../support/project.js';
import { limits } from '../../support/records.js';
import type { Sleeper } from '../workspaces/sleep-stage.js';
import { EvictionStage, outOfMemory } from './eviction-stage.js';

let stage: EvictionStage;

beforeAll(async () => {
  stage = await EvictionStage.start();
});

const now = new Date();
const wake = ({ workspace }: Sleeper) =>
  requestWake(stage.table, { workspaceId: workspace.workspaceId, now, newId });

async function place(sleeper: Sleeper) {
  const nodeIdFor = async () => newId();
  await placeWorkspace(stage.table, await stage.row(sleeper), { now, nodeIdFor, limits });
  return stage.row(sleeper);
}

async function evicted(change: Parameters<EvictionStage['report']>[1] = {}) {
  const sleeper = await stage.running();
  await stage.evicted(sleeper, change);
  return sleeper;
}

/** Another project of the same id, with these settings. */
const setProject = ({ workspace }: Sleeper, settings: NonNullable<ReturnType<typeof aProject>['settings']>) =>
  putItem(stage.table, projectItem(aProject({ projectId: workspace.projectId ?? '', settings })));

describe('an evicted workspace', () => {
  it('starts once, with new generations, whatever asks for it at the same time', async () => {
    const sleeper = await evicted();

    await Promise.all([1, 2, 3, 4].map(() => wake(sleeper)));

    const row = await stage.row(sleeper);
    expect(row).toMatchObject({ status: 'pending', generation: 2, wake: { attempt: 1 } });
    expect(row.evictionGeneration).not.toBe(sleeper.workspace.evictionGeneration);
    // The node repeats a report whose answer was lost.
    expect((await stage.report(sleeper)).status).toBe(410);
    expect(await stage.row(sleeper)).toEqual(row);
  });

  it('is placed away from the node that evicted it, which the explanation says', async () => {
    const sleeper = await evicted();
    await wake(sleeper);

    const { nodeId, placementExplanation } = await place(sleeper);

    expect(nodeId).not.toBe(sleeper.workspace.nodeId);
    expect(placementExplanation?.hosts).toContainEqual(
      expect.objectContaining({ nodeId: sleeper.workspace.nodeId, code: 'evicted_here' }),
    );
  });

  it('gets one size more memory once when it ran out of it, and says so', async () => {
    const sleeper = await evicted(outOfMemory);
    await wake(sleeper);
    const { resolvedReservation: raised, placementExplanation } = await place(sleeper);
    const { workspaceId, generation } = await stage.row(sleeper);
    const errorMessage = 'The node was lost.';
    await markErrored(stage.table, { workspaceId, generation }, { errorMessage, now });
    await wake(sleeper);
    const { resolvedReservation: again } = await place(sleeper);

    expect(raised).toMatchObject({ memoryMb: 8_192, source: 'eviction' });
    expect(placementExplanation?.note).toContain('raised from 4 GB to 8 GB');
    expect(again).toEqual(raised);
  });

  it('keeps its memory when its project says so, or when its node was short of it', async () => {
    const unraised = await evicted(outOfMemory);
    await setProject(unraised, { raiseMemoryAfterOom: false });
    const neighbour = await evicted();

    for (const sleeper of [unraised, neighbour]) {
      await wake(sleeper);
      expect((await place(sleeper)).resolvedReservation?.memoryMb).toBe(4_096);
    }
  });

  it('is evicted again when its start fails, with snapshot, chat and agent', async () => {
    const sleeper = await evicted();
    await wake(sleeper);
    const { workspaceId } = sleeper.workspace;
    const errorMessage = 'No node has room.';

    await markErrored(stage.table, { workspaceId, generation: 2 }, { errorMessage, now });
    await endLostSessions({ table: stage.table, now, wake: async () => {} } as never, workspaceId);

    expect(await stage.row(sleeper)).toMatchObject({
      ...{ status: 'evicted', wakeFailure: { attempts: 1, reason: errorMessage } },
      ...{ eviction: { generation: 1 }, endedBecause: { kind: 'evicted_memory' } },
    });
    expect(await stage.chat(sleeper)).toMatchObject({ status: 'sleeping' });
    expect((await stage.record(sleeper))?.objects).toBeDefined();
    expect(await wake(sleeper)).toMatchObject({ is: 'waking' });
  });

  it('says nothing of its eviction once it is restored', async () => {
    const sleeper = await evicted({ workInFlight: true });
    await wake(sleeper);
    const { workspaceId, generation, nodeId } = await place(sleeper);
    await changeWorkspace(stage.table, { workspaceId, move: 'ready', to: 'running', now });
    const { operationId } = await awaitRestore(stage.table, { workspaceId, generation, taskToken: 'x', now });
    const { chatId: chatSessionId, agentSessionId } = sleeper;
    const result: RestoreResult = {
      ...{ chatSessionId, operationId, status: 'restored', message: null, missing: [] },
      sessions: [{ agentSessionId, agentType: 'claude-code', hasConversation: true }],
    };

    const report = { workspaceId, nodeId: nodeId ?? '', generation, result, now };
    const { waiting } = await finishWake(stage.table, report);

    const row = await stage.row(sleeper);
    expect([row.status, row.eviction, row.endedBecause]).toEqual(['running', undefined, undefined]);
    const chat = await stage.chat(sleeper);
    expect([chat.status, chat.endedBecause]).toEqual(['active', undefined]);
    // The message that continues its work.
    expect(waiting).toEqual([sleeper.chatId]);
  });
});
