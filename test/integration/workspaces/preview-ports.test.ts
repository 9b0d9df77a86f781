import { Route53Client } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { namePort } from '../../../lambdas/domain/workspaces/name-port.js';
import { WorkspaceRoutes } from './workspace-routes.js';
import { addressOfName, createZone, nodesDomain } from './zone.js';

let routes: WorkspaceRoutes;
let zoneId: string;

beforeAll(async () => {
  zoneId = await createZone();
  routes = await WorkspaceRoutes.load(['terminal/preview-token', 'terminal/token', 'workspaces/stop']);
});
afterAll(() => routes[Symbol.asyncDispose]());

const running = async () =>
  (await routes.onNode({ status: 'running', namedAddress: '192.0.2.7' })).workspace.workspaceId;
const open = async (workspaceId: string, port: number) =>
  routes.call('terminal/preview-token', { body: { workspaceId, port } });

it('writes the DNS name of a port once, and gives no token before the name resolves', async () => {
  const workspaceId = await running();
  const name = `ws-${workspaceId.toLowerCase()}--5173`;

  const first = await open(workspaceId, 5173);

  expect(first).toMatchObject({ status: 202, body: { status: 'naming' }, headers: { 'retry-after': '60' } });
  expect(await addressOfName(zoneId, name)).toBe('192.0.2.7');
  const again = await open(workspaceId, 5173);
  expect(again).toMatchObject({ status: 202, body: { status: 'naming' } });
  expect(Number(again.headers['retry-after'])).toBeLessThanOrEqual(60);
  expect(routes.made.filter((name) => name.startsWith('Update'))).toEqual([]);
});

it('gives the address of the host once its name resolves', async () => {
  const { workspace } = await routes.onNode({
    status: 'running',
    namedAddress: '192.0.2.7',
    previewPorts: new Set(['5173']),
    namedPorts: new Set(['5173']),
    previewNamedAt: new Date(Date.now() - 60_000).toISOString(),
  });

  const url = `http://ws-${workspace.workspaceId.toLowerCase()}--5173.localhost:8787/`;
  expect(await open(workspace.workspaceId, 5173)).toMatchObject({ status: 200, body: { url } });
});

it('writes the name of a port whose first call ended before', async () => {
  const { workspace } = await routes.onNode({
    status: 'running',
    namedAddress: '192.0.2.7',
    previewPorts: new Set(['5173']),
    previewNamedAt: new Date(Date.now() - 3_600_000).toISOString(),
  });

  expect(await open(workspace.workspaceId, 5173)).toMatchObject({ status: 202, body: { status: 'naming' } });
  expect(await addressOfName(zoneId, `ws-${workspace.workspaceId.toLowerCase()}--5173`)).toBe('192.0.2.7');
});

it('removes the name of a port when the workspace stops before it is written', async () => {
  const { workspace } = await routes.onNode({ status: 'running', namedAddress: '192.0.2.7' });
  const { workspaceId } = workspace;
  const client = new Route53Client({});
  let changes = 0;
  const stopFirst = async () => {
    if (changes++ > 0) return;
    await changeWorkspace(routes.table, { workspaceId, set: { status: 'stopped' }, now: new Date() });
  };
  client.middlewareStack.add((next) => async (args) => {
    await stopFirst();
    return next(args);
  });

  const zone = { client, zoneId, domain: nodesDomain };
  const naming = namePort(routes.table, zone, { workspace, port: 5173, now: new Date() });

  await expect(naming).rejects.toThrow('Workspace is stopped.');
  expect(changes).toBeGreaterThan(1);
  expect(await addressOfName(zoneId, `ws-${workspaceId.toLowerCase()}--5173`)).toBeUndefined();
});

it('gives no name to a port of a workspace that does not run', async () => {
  const { workspace } = await routes.onNode({ status: 'stopped', namedAddress: '192.0.2.7' });

  expect(await open(workspace.workspaceId, 5173)).toMatchObject({ status: 409 });
  expect(await addressOfName(zoneId, `ws-${workspace.workspaceId.toLowerCase()}--5173`)).toBeUndefined();
});

it('names at most 20 ports of a workspace', async () => {
  const workspaceId = await running();
  const ports = Array.from({ length: 21 }, (_, index) => 3_000 + index);
  const statuses: number[] = [];
  for (const port of ports) statuses.push((await open(workspaceId, port)).status);

  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 202), 409]);
  expect(await open(workspaceId, 3_020)).toMatchObject({ body: { error: 'PREVIEW_PORT_LIMIT_REACHED' } });
  expect(await open(workspaceId, 3_000)).toMatchObject({ status: 202 });
  expect((await findWorkspace(routes.table, workspaceId))?.previewPorts?.size).toBe(20);
});

it.each([0, 65_536, 1.5])('refuses port %s', async (port) => {
  expect(await open(await running(), port)).toMatchObject({ status: 400 });
});
