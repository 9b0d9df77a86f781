import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../lambdas/shared/ids.js';
import { placedWorkspace } from '../../support/records.js';
import { signIn } from '../../support/sign-in.js';
import { WorkspaceRoutes } from './workspace-routes.js';

let routes: WorkspaceRoutes;

beforeAll(async () => {
  routes = await WorkspaceRoutes.load([
    'nodes/delete',
    'nodes/get',
    'nodes/stop',
    'terminal/token',
    'workspaces/boot-log',
    'workspaces/create',
    'workspaces/delete',
    'workspaces/get',
    'workspaces/list',
    'workspaces/stop',
  ]);
});

afterAll(() => routes[Symbol.asyncDispose]());

const asked = { installationId: '1', repository: 'octo/hello' };

describe('creating a workspace', () => {
  it('returns the workspace and its address even when the saga cannot be started', async () => {
    const reply = await routes.call('workspaces/create', { body: { ...asked, vmSize: 'large' } });

    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      status: 'pending',
      displayName: 'hello',
      branch: 'trunk',
      version: 1,
    });
    expect(reply.headers.location).toMatch(/^\/api\/workspaces\/[0-9A-Z]{26}$/);
  });

  it('creates one workspace for repeated requests with one Idempotency-Key', async () => {
    const request = { body: asked, headers: { 'idempotency-key': newId() } };

    const twins = await Promise.all([1, 2].map(() => routes.unheld('workspaces/create', request)));
    const again = await routes.call('workspaces/create', request);
    const other = await routes.call('workspaces/create', {
      ...request,
      body: { ...asked, displayName: 'other' },
    });

    const ids = [...twins, again].map((reply) => reply?.headers.location);
    expect(new Set(ids).size).toBe(1);
    expect(other).toMatchObject({ status: 409, body: { error: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it.each([
    ['a repository that the caller cannot see', { ...asked, repository: 'octo/secret' }, 404],
    ["somebody else's installation", { ...asked, installationId: '2' }, 404],
    ['an installation of another account', { ...asked, repository: 'mallory/hello' }, 400],
    ['no repository', { installationId: '1' }, 400],
    ['a project that is not there', { projectId: newId() }, 404],
    ['a branch that is none', { ...asked, branch: '--upload-pack=x' }, 400],
    ['requirements that are not finite', { ...asked, resourceRequirements: { minVcpu: -1 } }, 400],
    ['unknown fields', { ...asked, nodeId: newId() }, 400],
  ])('refuses %s', async (_, body, status) => {
    expect((await routes.call('workspaces/create', { body })).status).toBe(status);
  });

  it('refuses requirements that no node of the deployment can meet, and names the most', async () => {
    const body = { ...asked, resourceRequirements: { minMemoryGb: 512, minDiskGb: 10 } };
    expect(await routes.call('workspaces/create', { body })).toMatchObject({
      status: 400,
      body: {
        error: 'RESOURCES_TOO_LARGE',
        message: expect.stringContaining('test.roomy'),
        details: [{ field: 'body.resourceRequirements.minMemoryGb', message: 'Must be at most 255.5.' }],
      },
    });
  });
});

describe('reading workspaces', () => {
  it('lists workspaces newest first, in pages, without secrets', async () => {
    const caller = await signIn(routes.table);
    const made = [];
    for (let index = 0; index < 3; index += 1) {
      made.push((await placedWorkspace(routes.table, { userId: caller.userId })).workspace.workspaceId);
    }

    const first = await routes.call('workspaces/list', { query: { limit: '2' } }, caller);
    const { nextCursor } = first.body as { nextCursor: string };
    const second = await routes.call(
      'workspaces/list',
      { query: { limit: '2', cursor: nextCursor } },
      caller,
    );

    const ids = [first, second].flatMap(({ body }) =>
      (body as { workspaces: { id: string }[] }).workspaces.map(({ id }) => id),
    );
    expect(ids).toEqual(made.toReversed());
    expect(JSON.stringify(first.body)).not.toContain('token-of-create');
  });

  it('answers 404 to people who do not own the workspace', async () => {
    const { workspace, node } = await routes.onNode();
    const stranger = await signIn(routes.table);
    const params = { workspaceId: workspace.workspaceId, nodeId: node.nodeId };

    for (const file of ['workspaces/get', 'workspaces/stop', 'workspaces/boot-log'] as const) {
      expect((await routes.call(file, { params }, stranger)).status).toBe(404);
    }
    for (const file of ['nodes/get', 'nodes/stop', 'nodes/delete'] as const) {
      expect((await routes.call(file, { params }, stranger)).status).toBe(404);
    }
  });
});

describe('a terminal token', () => {
  it('names the workspace, its node and its address', async () => {
    const { workspace } = await routes.onNode({ status: 'running' });

    const reply = await routes.call('terminal/token', { body: { workspaceId: workspace.workspaceId } });

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      workspaceUrl: `http://ws-${workspace.workspaceId.toLowerCase()}.localhost:8787`,
      expiresAt: expect.toSatisfy((at: number) => at > Date.now() + 3_500_000 && at < Date.now() + 3_700_000),
    });
  });

  it('is refused while the workspace does not run', async () => {
    const { workspace } = await routes.onNode();

    expect(
      await routes.call('terminal/token', { body: { workspaceId: workspace.workspaceId } }),
    ).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('provisioning') },
    });
  });
});
