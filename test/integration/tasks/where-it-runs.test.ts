import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../lambdas/shared/ids.js';
import { aNode, putNode } from '../../support/records.js';
import { TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start(['submit', 'create', 'status', 'delegate'].map((name) => `tasks/${name}`));
});

afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

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
