import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { HostRequirementsTooLarge } from '../../../lambdas/domain/nodes/errors.js';
import { taskView } from '../../../lambdas/http/tasks/task-view.js';
import { aNode, putNode } from '../../support/records.js';
import { TaskRuns } from './task-runs.js';

let runs: TaskRuns;

beforeAll(async () => {
  runs = await TaskRuns.start(['tasks/submit']);
  runs.commitDevContainer({ hostRequirements: { cpus: 4, memory: '12gb' } });
  runs.commitDevContainer({ hostRequirements: { memory: '9999gb' } }, 'huge');
});

afterAll(() => runs[Symbol.asyncDispose]());
beforeEach(() => runs.reset());

/** As a client submits it. */
async function submitted(body: object) {
  const reply = await runs.mine.call('submit', { body: { message: 'Fix the door', ...body } });
  expect(reply.status).toBe(202);
  const { taskId } = reply.body as unknown as { readonly taskId: string };
  return runs.present({ projectId: runs.mine.projectId, taskId });
}

it('the workspace of a task reserves what the dev container requires, also after it has changed', async () => {
  const task = await submitted({});
  const first = await runs.step('create-workspace', task);
  runs.commitDevContainer({ hostRequirements: { cpus: 16 } });
  expect(await runs.step('create-workspace', task)).toEqual(first);
  runs.commitDevContainer({ hostRequirements: { cpus: 4, memory: '12gb' } });

  const reserved = { cpuMillis: 4_000, memoryMb: 12_288, source: 'devcontainer' };
  expect(await runs.workspaceOf(task)).toMatchObject({
    resolvedReservation: reserved,
    reservationNote: expect.stringContaining('hostRequirements'),
  });
  expect(taskView(await runs.present(task)).resolvedReservation).toMatchObject(reserved);
});

it('of the layers of a task and the dev container, the larger amount counts', async () => {
  const task = await submitted({ resourceRequirements: { minVcpu: 8, minMemoryGb: 2 } });
  await runs.step('create-workspace', task);

  const { resolvedReservation } = await runs.workspaceOf(task);
  expect(resolvedReservation).toMatchObject({ cpuMillis: 8_000, memoryMb: 12_288 });
});

it('a task fails with the amounts when no node can have what its dev container requires', async () => {
  const task = await submitted({ devcontainerConfigName: 'huge' });
  const error = await runs.step('create-workspace', task).catch((thrown: unknown) => thrown);
  if (!(error instanceof HostRequirementsTooLarge)) throw error;

  // As Step Functions passes it on.
  const cause = JSON.stringify({ errorType: error.name, errorMessage: error.message });
  const failure = { step: 'CreateWorkspace', error: error.name, cause };
  await runs.step('fail-task', task, { failure });
  expect(await runs.present(task)).toMatchObject({
    status: 'failed',
    workspaceId: null,
    errorMessage: expect.stringMatching(/9999 GB of memory.*hostRequirements.*test\.roomy/),
  });
});

it.each([
  ['a lightweight task', async () => ({ workspaceProfile: 'lightweight' })],
  [
    'a task on a requested node',
    async () => {
      const { userId } = runs.mine.owner;
      const { nodeId } = await putNode(runs.table, aNode({ userId }));
      return { nodeId };
    },
  ],
])('the workspace of %s reserves what the launch settings request', async (_, more) => {
  const task = await submitted(await more());
  await runs.step('create-workspace', task);

  const { resolvedReservation, reservationNote } = await runs.workspaceOf(task);
  expect(resolvedReservation).toEqual(task.launch?.reservation);
  expect(reservationNote).toBeUndefined();
});
