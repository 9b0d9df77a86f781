import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyToken } from '../../../lambdas/domain/tokens/verify-token.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { signIn } from '../../support/sign-in.js';
import { signingKeys } from '../../support/wrong-tokens.js';
import { WorkspaceRoutes } from './workspace-routes.js';

let routes: WorkspaceRoutes;

beforeAll(async () => {
  routes = await WorkspaceRoutes.load(['terminal/preview-token', 'terminal/token']);
});
afterAll(() => routes[Symbol.asyncDispose]());

const running = async (more: Partial<Workspace> = {}) =>
  (await routes.onNode({ status: 'running', ...more })).workspace;
const open = ({ workspaceId }: Pick<Workspace, 'workspaceId'>, port: unknown = 5173, by = routes.octo) =>
  routes.call('terminal/preview-token', { body: { workspaceId, port } }, by);
const tokenOf = ({ body }: Awaited<ReturnType<typeof open>>) => (body as { token: string }).token;

it('is for one port of one generation, for one use and one minute', async () => {
  const workspace = await running({ generation: 3 });
  const { workspaceId, nodeId } = workspace;

  const reply = await open(workspace);

  expect(reply).toMatchObject({
    status: 200,
    body: { url: `http://ws-${workspaceId.toLowerCase()}--5173.localhost:8787/` },
  });
  const now = new Date();
  const claims = await verifyToken(signingKeys(), 'preview', { token: tokenOf(reply), now });
  expect(claims).toMatchObject({
    aud: 'workspace-preview',
    sub: routes.octo.userId,
    workspace: workspaceId,
    node: nodeId,
    generation: 3,
    port: 5173,
    session: expect.stringMatching(/./),
  });
  expect(claims.exp - claims.iat).toBe(60);
  const next = await verifyToken(signingKeys(), 'preview', { token: tokenOf(await open(workspace)), now });
  expect(next.jti).not.toBe(claims.jti);
});

it('is no terminal token, and a terminal token is no preview token', async () => {
  const workspace = await running();
  const { workspaceId } = workspace;
  const terminal = await routes.call('terminal/token', { body: { workspaceId } });
  const now = new Date();

  const invalid = { code: 'INVALID_TOKEN' };
  await expect(
    verifyToken(signingKeys(), 'terminal', { token: tokenOf(await open(workspace)), now }),
  ).rejects.toMatchObject(invalid);
  await expect(
    verifyToken(signingKeys(), 'preview', { token: tokenOf(terminal), now }),
  ).rejects.toMatchObject(invalid);
});

it('is refused to a person who does not own the workspace', async () => {
  const workspace = await running();

  expect(await open(workspace, 5173, await signIn(routes.table))).toMatchObject({ status: 404 });
});

it('wakes a sleeping workspace, and is refused while the workspace starts or is stopped', async () => {
  const sleeping = await running({ status: 'sleeping' });
  const starting = (await routes.onNode()).workspace;
  const stopped = await running({ status: 'stopped' });

  expect(await open(sleeping)).toMatchObject({
    status: 202,
    body: { status: 'waking' },
    headers: { 'retry-after': '3' },
  });
  expect((await findWorkspace(routes.table, sleeping.workspaceId))?.wake).toBeDefined();
  expect(await open(starting)).toMatchObject({ status: 409 });
  expect(await open(stopped)).toMatchObject({ status: 409 });
});

it.each([undefined, '5173', 0, 65_536])('is refused for port %j', async (port) => {
  expect(await open(await running(), port ?? null)).toMatchObject({
    status: 400,
    body: { details: [{ field: 'body.port' }] },
  });
});

it('names no port in a terminal token', async () => {
  const { workspaceId } = await running();

  expect(await routes.call('terminal/token', { body: { workspaceId, port: 5173 } })).toMatchObject({
    status: 400,
  });
});
