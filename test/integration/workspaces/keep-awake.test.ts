import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeWorkspace } from '../../../lambdas/domain/workspaces/change-workspace.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { signIn } from '../../support/sign-in.js';
import { chatPlace, putOpenChat } from './open-chat.js';
import { WorkspaceRoutes } from './workspace-routes.js';

const minute = 60_000;
let routes: WorkspaceRoutes;

beforeAll(async () => {
  routes = await WorkspaceRoutes.load(['terminal/activity', 'workspaces/get', 'workspaces/keep-awake']);
});

afterAll(() => routes[Symbol.asyncDispose]());

const running = (row: Partial<Workspace> = {}) => routes.onNode({ status: 'running', ...row });

const read = async ({ workspaceId }: Workspace) =>
  (await routes.call('workspaces/get', { params: { workspaceId } })).body as Record<string, string | null>;

const keep = ({ workspaceId }: Workspace, minutes: unknown) =>
  routes.call('workspaces/keep-awake', { params: { workspaceId }, body: { minutes } });

const minutesUntil = (at: unknown) => Math.round((Date.parse(String(at)) - Date.now()) / minute);

describe('a workspace without a chat', () => {
  it('shows when it stops, and later after it was kept awake', async () => {
    const { workspace } = await running();
    const before = await read(workspace);

    const { status, body } = await keep(workspace, 600);

    expect(minutesUntil(before.stopsAt)).toBe(120);
    expect(before).toMatchObject({
      sleepsAt: null,
      keptAwakeUntil: null,
      lastActivityAt: expect.any(String),
    });
    expect(status).toBe(200);
    const { keptAwakeUntil, stopsAt } = body as Record<string, string>;
    expect([minutesUntil(keptAwakeUntil), stopsAt]).toEqual([600, keptAwakeUntil]);
    expect(await read(workspace)).toMatchObject({ keptAwakeUntil, stopsAt });
  });

  it('stays awake until the later of two times', async () => {
    const { workspace } = await running();

    await keep(workspace, 600);
    const { body } = await keep(workspace, 5);

    expect(minutesUntil((body as { keptAwakeUntil: string }).keptAwakeUntil)).toBe(600);
  });

  it.each([0, 1_441, 1.5, '60', undefined])('is not kept awake for %j minutes', async (minutes) => {
    const { workspace } = await running();

    expect(await keep(workspace, minutes)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'body.minutes' }] },
    });
  });

  it.each<Partial<Workspace>>([
    { status: 'stopped' },
    { status: 'provisioning' },
    {
      sleep: {
        claimId: newId(),
        claimedAt: new Date().toISOString(),
        by: 'idle',
        phase: 'capturing',
        from: 'running',
      },
    },
  ])('is kept awake only while it runs: %j', async (row) => {
    const { workspace } = await running(row);

    expect(await keep(workspace, 60)).toMatchObject({ status: 409 });
    expect(await read(workspace)).toMatchObject({ stopsAt: null, sleepsAt: null, lastActivityAt: null });
  });

  it('is kept awake by its owner only', async () => {
    const { workspace } = await running();
    const stranger = await signIn(routes.table);
    const request = { params: { workspaceId: workspace.workspaceId }, body: { minutes: 60 } };

    expect(await routes.call('workspaces/keep-awake', request, stranger)).toMatchObject({ status: 404 });
  });
});

it('a workspace with an open chat shows when it sleeps', async () => {
  const { workspace } = await running(chatPlace());
  await putOpenChat(routes.table, workspace, { at: new Date() });

  const seen = await read(workspace);

  expect(minutesUntil(seen.sleepsAt)).toBe(15);
  expect(seen.stopsAt).toBeNull();
});

it('a report of use postpones the stop', async () => {
  const { workspace } = await running();
  const { workspaceId } = workspace;
  const old = new Date(Date.now() - 60 * minute).toISOString();
  await changeWorkspace(routes.table, {
    workspaceId,
    set: { createdAt: old, readyAt: old, statusChangedAt: old },
    now: new Date(),
  });
  expect(minutesUntil((await read(workspace)).stopsAt)).toBe(60);

  const { body } = await routes.call('terminal/activity', { body: { workspaceId } });

  expect(body).toEqual({ ok: true });
  expect(minutesUntil((await read(workspace)).stopsAt)).toBe(120);
  expect((await findWorkspace(routes.table, workspaceId))?.lastUsedAt).toBeDefined();
});

it('a workspace that does not run cannot be used', async () => {
  const { workspace } = await running({ status: 'stopped' });
  const { workspaceId } = workspace;

  expect(await routes.call('terminal/activity', { body: { workspaceId } })).toMatchObject({ status: 409 });
});
