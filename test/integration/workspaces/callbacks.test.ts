import type { SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issueBootstrapToken, newBootstrapToken } from '../../../lambdas/domain/nodes/bootstrap.js';
import { issueToken } from '../../../lambdas/domain/tokens/issue-token.js';
import { verifyToken } from '../../../lambdas/domain/tokens/verify-token.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { SigningKeys } from '../../../lambdas/shared/signing-keys.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { startCodeHost } from '../../support/code-host.js';
import { type CallCount, callBudget, countCalls } from '../../support/count-calls.js';
import { type Invoke, loadRoute, type TestReply, type TestRequest } from '../../support/invoke.js';
import { placedWorkspace } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { until } from '../../support/until.js';

const files = [
  'callbacks/bootstrap',
  'callbacks/git-token',
  'callbacks/workspace-progress',
  'callbacks/boot-log',
] as const;

const invokes = new Map<string, Invoke>();
let codeHost: AsyncDisposable;
let table: Table;
let keys: SigningKeys;
let calls: CallCount;
/** Task tokens of the steps that were kept alive. */
let beats: string[];

beforeAll(async () => {
  codeHost = await startCodeHost();
  table = await emptyTable();
  Object.assign(process.env, { TABLE_NAME: table.name });
  ({ table } = await import('../../../lambdas/shared/clients/documents.js'));
  ({ signingKeys: keys } = await import('../../../lambdas/shared/clients/signing-keys.js'));
  recordBeats((await import('../../../lambdas/shared/clients/step-functions.js')).stepFunctions);
  for (const file of files) invokes.set(file, await loadRoute(file));
  calls = countCalls(table.client);
});

afterAll(() => codeHost[Symbol.asyncDispose]());

beforeEach(() => {
  beats = [];
});

/**
 * The tokens of these tests belong to no execution: the emulator refuses them, as it does those of
 * steps that ended.
 */
function recordBeats(client: SFNClient): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { taskToken } = args.input as { taskToken?: string };
        if (commandName === 'SendTaskHeartbeatCommand' && taskToken) beats.push(taskToken);
        return next(args);
      },
    { step: 'initialize', name: 'recordBeats' },
  );
}

async function call(file: (typeof files)[number], request: TestRequest): Promise<TestReply> {
  calls.reset();
  const invoke = invokes.get(file);
  if (!invoke) throw new Error(`${file} is not loaded`);
  const reply = await invoke(request);
  expect(calls.names.length, calls.names.join()).toBeLessThanOrEqual(callBudget.POST);
  return reply;
}

const bearer = async ({ workspaceId, nodeId, generation }: Workspace, now = new Date()) => {
  const claims = { sub: workspaceId, node: nodeId ?? '', generation };
  const { token } = await issueToken(keys, 'workspaceCallback', { claims, now });
  return { params: { workspaceId }, headers: { authorization: `Bearer ${token}` } };
};
const stop = ({ workspaceId, userId }: Workspace) =>
  claimStop(table, { workspaceId, userId, now: new Date() });
const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000);

describe('POST /api/bootstrap', () => {
  let callers = 0;
  /** Each test is another address: ten requests a minute are allowed to one. */
  let address: string;

  beforeEach(() => {
    callers += 1;
    address = `198.51.100.${callers}`;
  });

  const redeem = (body: unknown) =>
    call('callbacks/bootstrap', {
      body,
      headers: { 'x-forwarded-for': `192.0.2.1, ${address}, 203.0.113.7` },
    });

  async function issued(now = new Date()) {
    const { workspace, node } = await placedWorkspace(table, {
      waitingStep: 'launch-node',
      taskToken: 'of-launch',
    });
    const boot = { nodeId: node.nodeId, token: newBootstrapToken() };
    await issueBootstrapToken(table, { ...boot, launchedFor: workspace.workspaceId, now });
    return { body: { ...boot, redemptionId: 'a'.repeat(32) }, workspace };
  }

  it('returns the token of the node, and sends the heartbeat of the waiting step', async () => {
    const { body } = await issued();

    const reply = await redeem(body);

    const { callbackToken } = reply.body as { callbackToken: string };
    expect(reply.status).toBe(200);
    const claims = await verifyToken(keys, 'nodeCallback', { token: callbackToken, now: new Date() });
    expect(claims.sub).toBe(body.nodeId);
    expect(beats).toEqual(['of-launch']);
  });

  it('accepts a repeat of the same redemption and no other', async () => {
    const { body } = await issued();
    await redeem(body);

    expect((await redeem(body)).status).toBe(200);
    expect(await redeem({ ...body, redemptionId: 'b'.repeat(32) })).toMatchObject({
      status: 401,
      body: { error: 'INVALID_TOKEN' },
    });
  });

  it('sends no heartbeat to a step other than the launch of this node', async () => {
    const { body, workspace } = await issued();
    await placedWorkspace(table, { workspaceId: workspace.workspaceId, waitingStep: 'create-on-node' });

    expect((await redeem(body)).status).toBe(200);

    expect(beats).toEqual([]);
  });

  it('gives one error for wrong, unknown and expired tokens', async () => {
    const { body } = await issued();
    const expired = await issued(new Date(Date.now() - 16 * 60_000));

    const replies = [
      await redeem({ ...body, token: newBootstrapToken() }),
      await redeem({ ...body, nodeId: newId() }),
      await redeem(expired.body),
    ];

    const seen = replies.map(({ status, body }) => ({ ...(body as object), status, requestId: '' }));
    expect(seen).toEqual([seen[0], seen[0], seen[0]]);
    expect(seen[0]).toMatchObject({ status: 401, error: 'INVALID_TOKEN' });
  });

  it.each([
    ['nothing', {}],
    ['a short token', { nodeId: newId(), token: 'x', redemptionId: 'a'.repeat(32) }],
    ['no id of a node', { nodeId: '../x', token: newBootstrapToken(), redemptionId: 'a'.repeat(32) }],
    ['another field', { nodeId: newId(), token: newBootstrapToken(), redemptionId: 'a'.repeat(32), x: 1 }],
    ['no JSON', '{'],
  ])('refuses %s', async (_, body) => {
    expect((await redeem(body)).status).toBe(400);
  });

  it('limits the attempts of an address', async () => {
    const { body } = await issued();
    /** A minute may end between two attempts, and the next one has ten of its own. */
    const guessUntilRefused = async () => {
      const statuses: number[] = [];
      while (statuses.length <= 20 && statuses.at(-1) !== 429)
        statuses.push((await redeem({ ...body, token: newBootstrapToken() })).status);
      return statuses;
    };

    const statuses = await guessUntilRefused();

    expect(statuses.length).toBeGreaterThan(10);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([401]));
    expect(statuses.at(-1)).toBe(429);
    await until('the right token is refused too', async () => {
      await guessUntilRefused();
      return (await redeem(body)).status === 429 || undefined;
    });
  });
});

describe('POST /api/workspaces/{workspaceId}/git-token', () => {
  const running = () =>
    placedWorkspace(table, {
      status: 'running',
      installationId: '5001',
      repository: 'octo/hello',
      repositoryCheckedAt: new Date().toISOString(),
      cloneUrl: 'https://code.example/octo/hello.git',
    });

  it('returns a token for the one repository, also when repeated', async () => {
    const { workspace } = await running();

    const first = await call('callbacks/git-token', await bearer(workspace));
    const again = await call('callbacks/git-token', await bearer(workspace));

    expect(first).toMatchObject({
      status: 200,
      body: { username: 'x-access-token', host: 'code.example', cloneUrl: workspace.cloneUrl },
    });
    expect(again.body).toEqual(first.body);
  });

  it.each(['stopping', 'stopped', 'errored'] as const)(
    'returns no token once the workspace is %s',
    async (status) => {
      const { workspace } = await placedWorkspace(table, { status });

      expect((await call('callbacks/git-token', await bearer(workspace))).status).toBe(410);
    },
  );

  it('returns no token to an earlier generation, another node, or for an unknown workspace', async () => {
    const { workspace } = await running();
    const claims: readonly Partial<Workspace>[] = [{ generation: 0 }, { nodeId: newId() }];

    for (const other of claims) {
      const reply = await call('callbacks/git-token', await bearer({ ...workspace, ...other }));
      expect(reply.status).toBe(410);
    }
    const unknown = await bearer({ ...workspace, workspaceId: newId() });
    expect((await call('callbacks/git-token', unknown)).status).toBe(404);
  });

  it('refuses a callback token that is wrong, expired, or of another workspace', async () => {
    const { workspace } = await running();
    const other = await running();
    const { params } = await bearer(workspace);
    const ask = (request: TestRequest) => call('callbacks/git-token', { ...request, params });

    expect((await ask({ headers: { authorization: 'Bearer x.y.z' } })).status).toBe(401);
    expect((await ask({})).status).toBe(401);
    expect((await ask(await bearer(workspace, twoDaysAgo))).status).toBe(401);
    expect((await ask(await bearer(other.workspace))).status).toBe(403);
  });

  it('answers 404 when the workspace has no repository', async () => {
    const { workspace } = await placedWorkspace(table, { status: 'running', repository: null });

    expect((await call('callbacks/git-token', await bearer(workspace))).status).toBe(404);
  });
});

describe('a workspace in provisioning', () => {
  const progress = async (workspace: Workspace, generation = workspace.generation) =>
    call('callbacks/workspace-progress', { ...(await bearer(workspace)), body: { generation } });

  it('sends the heartbeat of its step without a write', async () => {
    const { workspace } = await placedWorkspace(table);

    const reply = await progress(workspace);

    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    expect(calls.names).toEqual(['GetItemCommand']);
    expect(beats).toEqual(['token-of-create']);
  });

  it('sends the heartbeat with each boot log entry too', async () => {
    const { workspace } = await placedWorkspace(table);
    const entry = { step: 'git_clone', status: 'started', message: '', timestamp: new Date().toISOString() };

    await call('callbacks/boot-log', {
      ...(await bearer(workspace)),
      body: { generation: 1, entryId: newId(), entry },
    });

    expect(beats).toEqual(['token-of-create']);
  });

  it('reports when no step waits for it', async () => {
    const stopped = await placedWorkspace(table);
    await stop(stopped.workspace);
    const running = await placedWorkspace(table, { status: 'running' });

    for (const { workspace } of [stopped, running]) {
      expect((await progress(workspace)).body).toEqual({
        success: false,
        reason: 'workspace_not_provisioning',
      });
    }
    expect(beats).toEqual([]);
  });

  it('sends no heartbeat for an earlier generation', async () => {
    const { workspace } = await placedWorkspace(table, { generation: 2 });

    expect((await progress({ ...workspace, generation: 1 })).status).toBe(410);
    expect((await progress(workspace, 1)).status).toBe(410);
    expect(beats).toEqual([]);
  });
});
