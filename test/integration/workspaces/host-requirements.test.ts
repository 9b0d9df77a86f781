import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import type { WorkspaceView } from '../../../lambdas/http/workspaces/workspace-view.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { limits } from '../../support/records.js';
import { WorkspaceRoutes } from './workspace-routes.js';

const asked = { installationId: '1', repository: 'octo/hello' };
const path = '.devcontainer/devcontainer.json';
const small = { name: 'test.small', vcpu: 2, memoryGb: 8, diskGb: 60 };
const large = { name: 'test.large', vcpu: 16, memoryGb: 64, diskGb: 140 };

let routes: WorkspaceRoutes;

beforeAll(async () => {
  routes = await WorkspaceRoutes.load(['workspaces/create', 'workspaces/get']);
});

afterAll(() => routes[Symbol.asyncDispose]());
beforeEach(() => routes.files.clear());

const requires = (hostRequirements: unknown, at = path) =>
  routes.files.set(at, `// Ours\n${JSON.stringify({ image: 'debian', hostRequirements })}`);
const create = async (body: object = asked, headers: Record<string, string> = {}) => {
  const reply = await routes.call('workspaces/create', { body, headers });
  return { ...reply, body: reply.body as WorkspaceView };
};

it('a workspace reserves what the dev container requires, and its placement names the source', async () => {
  requires({ cpus: 4, memory: '12gb', storage: '1gb' });
  const { status, body } = await create();

  expect(status).toBe(201);
  expect(body.resolvedReservation).toMatchObject({
    ...{ cpuMillis: 4_000, memoryMb: 12_288, diskMb: 40_960, source: 'devcontainer', sourceId: null },
  });
  const workspaceId = body.id;
  const workspace = await findWorkspace(routes.table, workspaceId);
  if (!workspace) throw new Error('There is no such workspace');
  const offer = { types: [small, large], cpuOvercommit: 2 };
  await placeWorkspace(routes.table, workspace, {
    ...{ now: new Date(), nodeIdFor: async () => newId(), limits: { ...limits, offer } },
  });

  const { body: placed } = await routes.call('workspaces/get', { params: { workspaceId } });
  expect(placed).toMatchObject({
    placementExplanation: {
      ...{ outcome: 'new_node', instanceType: 'test.large' },
      note: expect.stringContaining('The dev container of the repository (hostRequirements) raises'),
    },
  });
});

it('of request and dev container, the larger amount counts', async () => {
  requires({ cpus: 8, memory: '6gb' });
  const { body } = await create({ ...asked, resourceRequirements: { minVcpu: 4, minMemoryGb: 16 } });

  expect(body.resolvedReservation).toMatchObject({ cpuMillis: 8_000, memoryMb: 16_384 });
});

it('the file is read from the requested branch', async () => {
  requires({ cpus: 3 });
  requires({ cpus: 6 }, `${path}?ref=next`);

  expect((await create({ ...asked, branch: 'next' })).body.resolvedReservation).toMatchObject({
    cpuMillis: 6_000,
  });
  expect((await create({ ...asked, branch: 'older' })).body.resolvedReservation).toMatchObject({
    ...{ cpuMillis: 2_000, source: 'platform' },
  });
});

it('a repeat with the same Idempotency-Key has the first reservation, whatever the file has now', async () => {
  const headers = { 'idempotency-key': newId() };
  requires({ memory: '8gb' });
  const first = await create(asked, headers);
  requires({ memory: '9999gb' });
  const again = await create(asked, headers);

  expect(again.status).toBe(201);
  expect(again.body).toMatchObject({ id: first.body.id, resolvedReservation: { memoryMb: 8_192 } });
});

it('what no node of the deployment can have is refused, and the message names the most', async () => {
  requires({ memory: '512gb' });

  expect(await create()).toMatchObject({
    status: 400,
    body: {
      error: 'RESOURCES_TOO_LARGE',
      message: expect.stringMatching(/512 GB of memory.*hostRequirements.*test\.roomy/),
      details: [{ field: 'body.repository' }],
    },
  });
});

it('a file that is not valid keeps no workspace from being created', async () => {
  routes.files.set(path, '{ "hostRequirements": ');

  expect(await create()).toMatchObject({
    status: 201,
    body: { resolvedReservation: { source: 'platform' } },
  });
});
