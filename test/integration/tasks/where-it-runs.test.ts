import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reportTaskProgress, reportTaskWaiting } from '../../../lambdas/domain/tasks/task-progress.js';
import type { PlacementExplanation } from '../../../lambdas/domain/workspaces/placement-explanation.js';
import { taskView } from '../../../lambdas/http/tasks/task-view.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { aNode, putNode } from '../../support/records.js';
import { TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start(['submit', 'create', 'status', 'delegate'].map((name) => `tasks/${name}`));
});

afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

it('a task shows what its workspace reserves, and why its workspace waits or is where it is', async () => {
  const task = await runs.submitted({ request: { resourceRequirements: { minMemoryGb: 6 } } });
  expect(taskView(task)).toMatchObject({
    resolvedReservation: { memoryMb: 6_144, source: 'request' },
    placementExplanation: null,
  });
  await runs.step('create-workspace', task);
  const workspace = await runs.workspaceOf(task);
  const now = new Date();
  const placementExplanation: PlacementExplanation = {
    ...{ at: now.toISOString(), outcome: 'waiting', nodeId: null, instanceType: null },
    ...{ strategy: 'balanced', hosts: [], moreHosts: 0 },
  };

  await reportTaskWaiting(runs.table, { ...workspace, placementExplanation }, now);
  const waits = taskView(await runs.present(task));
  expect(waits).toMatchObject({ placementExplanation, resolvedReservation: { memoryMb: 6_144 } });

  const placed = { ...placementExplanation, outcome: 'new_node' as const, nodeId: newId() };
  const step = 'node_provisioning';
  await reportTaskProgress(runs.table, { ...workspace, placementExplanation: placed }, { step, now });
  expect(taskView(await runs.present(task)).placementExplanation).toEqual(placed);
});

describe('a task that names a node', () => {
  const submit = (nodeId: string) => runs.mine.call('submit', { body: { message: 'Fix the door', nodeId } });

  it('runs on that node only', async () => {
    const { nodeId } = await putNode(runs.table, aNode({ userId: runs.mine.owner.userId }));
    const { status } = await submit(nodeId);
    expect(status).toBe(202);

    const task = await runs.submitted({ nodeId });
    expect(task.requestedNodeId).toBe(nodeId);
    await runs.step('create-workspace', task);
    expect(await runs.workspaceOf(task)).toMatchObject({
      wantedNodeId: nodeId,
      resourceRequirements: { maxCoTenants: 4 },
    });
  });

  it('is refused when the node belongs to another person or cannot be used', async () => {
    const { userId } = runs.mine.owner;
    const silent = new Date(Date.now() - 400_000).toISOString();
    const unusable = [
      aNode({ userId: newId() }),
      aNode({ userId, status: 'stopping' }),
      aNode({ userId, retiredAt: silent }),
      aNode({ userId, lastHeartbeatAt: silent }),
    ];
    for (const node of unusable) await putNode(runs.table, node);

    for (const nodeId of [newId(), ...unusable.map((node) => node.nodeId)])
      expect(await submit(nodeId)).toMatchObject({
        status: 400,
        body: { details: [{ field: 'body.nodeId' }] },
      });
  });
});

it('delegate starts a ready task as run does', async () => {
  const taskId = await runs.mine.newTask();
  const params = { taskId };
  await runs.mine.call('status', { params, body: { toStatus: 'ready' } });

  expect(await runs.mine.call('delegate', { params })).toMatchObject({
    status: 202,
    body: { taskId, sessionId: taskId, status: 'queued' },
  });
  expect((await runs.mine.call('delegate', { params })).status).toBe(409);
});
