import { afterAll, beforeAll, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import { markNodeReady } from '../../../lambdas/domain/nodes/node-reports.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { markReady } from '../../../lambdas/domain/workspaces/provisioning.js';
import { markStopped } from '../../../lambdas/domain/workspaces/stopping.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { newBudgets, type Sweep } from '../../../lambdas/sweeps/sweep.js';
import { sweepNode } from '../../../lambdas/sweeps/sweep-node.js';
import { projectOf } from '../../support/project-members.js';
import { limits } from '../../support/records.js';
import { allSagas } from '../../support/sagas.js';
import { testObjects } from '../../support/uploads.js';
import { WorkspaceRoutes } from './workspace-routes.js';

const minute = 60_000;
const now = new Date();
const after = (minutes: number) => new Date(now.getTime() + minutes * minute);

const ready = { agentVersion: '1', role: 'workspace', port: 1 } as const;

let routes: WorkspaceRoutes;
let projectId: string;
beforeAll(async () => {
  routes = await WorkspaceRoutes.load(['projects/change', 'workspaces/create']);
  const { userId } = routes.octo;
  const project = await projectOf(routes.table, { userId });
  ({ projectId } = project);
});
afterAll(() => routes[Symbol.asyncDispose]());

const change = (settings: object) =>
  routes.call('projects/change', { params: { projectId }, body: settings });

/** Created by the route, then placed, and running since `now`. */
async function running() {
  const { table } = routes;
  const { body } = await routes.call('workspaces/create', { body: { projectId } });
  const { id: workspaceId } = body as { id: string };
  const placement = { now, nodeIdFor: async () => newId(), limits };
  const { nodeId, launch } = await placeWorkspace(table, { workspaceId, generation: 1 }, placement);
  if (launch) await markNodeReady(table, nodeId, { ready, now });
  await markReady(table, { workspaceId, generation: 1, nodeId }, { status: 'running', now });
  return { workspaceId, nodeId };
}

async function sweep(nodeId: string, at: Date): Promise<readonly string[]> {
  const started: string[] = [];
  const client = { send: async ({ input }: { input: { name: string } }) => started.push(input.name) && {} };
  const stepFunctions = client as unknown as Sweep['stepFunctions'];
  const all: Sweep = {
    ...{ table: routes.table, stepFunctions, sagas: allSagas(stepFunctions), now: at },
    ...{ zone: undefined, objects: testObjects(), budgets: newBudgets() },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    fleet: { client: {} as Sweep['fleet']['client'], deploymentId: 'test' },
  };
  await sweepNode(all, nodeId);
  return started;
}

it('the times and the limit that a project is given decide about its workspaces and nodes', async () => {
  const { table } = routes;
  const given = {
    workspaceIdleTimeoutMs: 30 * minute,
    warmNodeTimeoutMs: 5 * minute,
    maxWorkspacesPerNode: 1,
  };
  expect(await change(given)).toMatchObject({ status: 200, body: given });

  const { workspaceId, nodeId } = await running();
  expect((await running()).nodeId).not.toBe(nodeId);

  const beat = (at: Date) => markNodeReady(table, nodeId, { ready, now: at });
  await beat(after(29));
  expect(await sweep(nodeId, after(29))).toEqual([]);
  await beat(after(31));
  expect(await sweep(nodeId, after(31))).toEqual([`${workspaceId}-1-stop`]);
  expect((await findWorkspace(table, workspaceId))?.status).toBe('stopping');

  await markStopped(table, { workspaceId, generation: 1 }, { nodeConfirmed: true, now: after(31) });
  expect(await sweep(nodeId, after(35))).toEqual([]);
  expect(await sweep(nodeId, after(36))).toEqual([`${nodeId}-delete-1`]);
  expect((await findNode(table, nodeId))?.status).toBe('deleting');
});

it.each([
  ['workspaceIdleTimeoutMs', 30 * minute - 1],
  ['workspaceIdleTimeoutMs', 24 * 60 * minute + 1],
  ['warmNodeTimeoutMs', -1],
  ['warmNodeTimeoutMs', 4 * 60 * minute + 1],
  ['maxWorkspacesPerNode', 0],
])('a project cannot have %s of %i', async (field, value) => {
  const reply = await change({ [field]: value });

  expect(reply.status).toBe(400);
  expect(JSON.stringify(reply.body)).toContain(field);
});
