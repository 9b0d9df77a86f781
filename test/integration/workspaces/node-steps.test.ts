import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findNode } from '../../../lambdas/domain/nodes/find-node.js';
import type { Node } from '../../../lambdas/domain/nodes/node.js';
import { findWorkspace } from '../../../lambdas/domain/workspaces/find-workspace.js';
import { placeWorkspace } from '../../../lambdas/domain/workspaces/place-workspace.js';
import { markReady } from '../../../lambdas/domain/workspaces/provisioning.js';
import { claimStop } from '../../../lambdas/domain/workspaces/stopping.js';
import type { Workspace } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { functionEnv } from '../../support/function-env.js';
import { limits, pendingWorkspace, placedWorkspace } from '../../support/records.js';
import { sharedTable } from '../../support/table.js';
import { loadStep, type RunStep } from './load-step.js';
import { NodeStub } from './node-stub.js';
import { addressOfName, createZone } from './zone.js';

const table = sharedTable();
const ipAddress = '192.0.2.7';
let zoneId: string;
let stub: NodeStub;
let create: RunStep;
let remove: RunStep;
let release: RunStep;
let stopOnNode: RunStep;
let markStopped: RunStep;

beforeAll(async () => {
  zoneId = await createZone();
  process.env.CODE_HOST_SECRET_ARN = functionEnv.CODE_HOST_SECRET_ARN;
  process.env.UPLOADS_BUCKET = functionEnv.UPLOADS_BUCKET;
  stub = await NodeStub.start();
  create = await loadStep('provision-workspace/create-on-node');
  remove = await loadStep('provision-workspace/remove-from-node');
  release = await loadStep('provision-workspace/release-workspace');
  stopOnNode = await loadStep('stop-workspace/stop-on-node');
  markStopped = await loadStep('stop-workspace/mark-stopped');
});

afterAll(() => stub[Symbol.asyncDispose]());

beforeEach(() => {
  stub.requests = [];
  stub.onRequest = async () => undefined;
});

/** Placed on the stub, and not sent to it yet. */
const placed = (overrides: Partial<Workspace> = {}, node: Partial<Node> = {}) =>
  placedWorkspace(
    table,
    { dispatchedAt: null, nodeUrl: null, taskToken: 'of-launch', waitingStep: 'launch-node', ...overrides },
    { ...stub.place, ipAddress, ...node },
  );
const inputOf = ({ workspaceId, generation, nodeId }: Workspace) => ({
  workspaceId,
  generation,
  nodeId,
  taskToken: 'of-create',
});
const rowOf = ({ workspaceId }: Workspace) => findWorkspace(table, workspaceId);
const nameOf = ({ workspaceId }: Workspace) => addressOfName(zoneId, `ws-${workspaceId.toLowerCase()}`);
const stop = ({ workspaceId, userId }: Workspace) =>
  claimStop(table, { workspaceId, userId, now: new Date() });

describe('CreateOnNode', () => {
  it('stores its task token before it calls the node, and writes the DNS name', async () => {
    const { workspace } = await placed();
    let before: Workspace | undefined;
    stub.onRequest = async () => {
      before = await rowOf(workspace);
      return undefined;
    };

    await create(inputOf(workspace));

    expect(before).toMatchObject({ taskToken: 'of-create', waitingStep: 'create-on-node' });
    expect(before?.dispatchedAt).not.toBeNull();
    expect(stub.requests[0]?.body).toMatchObject({
      workspaceId: workspace.workspaceId,
      generation: 1,
      reservation: { cpuMillis: 2_000, memoryMb: 4_096 },
    });
    expect(await nameOf(workspace)).toBe(ipAddress);
  });

  it('sends no reservation to an agent that refuses it', async () => {
    const { workspace } = await placed();
    stub.onRequest = async ({ body }) =>
      body.reservation ? { status: 400, body: { error: 'invalid_request', message: '' } } : undefined;

    await create(inputOf(workspace));

    expect(stub.requests.map(({ body }) => 'reservation' in body)).toEqual([true, true, false]);
  });

  it('sends no eviction generation to an agent that refuses it, and stores none', async () => {
    const { workspace } = await placed();
    stub.onRequest = async ({ body }) =>
      body.evictionGeneration ? { status: 400, body: { error: 'invalid_request', message: '' } } : undefined;

    await create(inputOf(workspace));

    const [first, second] = stub.requests.map(({ body }) => body);
    expect([first?.evictionGeneration, second?.evictionGeneration]).toEqual([
      workspace.evictionGeneration,
      undefined,
    ]);
    expect(second?.reservation).toEqual(first?.reservation);
    expect((await rowOf(workspace))?.evictionGeneration).toBeUndefined();
  });

  it('expects what the node was sent before, or may have had when that did not arrive', async () => {
    const [before, lost] = [newId(), newId()];
    const nodeId = newId();
    const sentEviction = { nodeId, evictionGeneration: lost, before: [before, null] };
    const { workspace } = await placed({ restartMode: 'restart', sentEviction, nodeId }, { nodeId });
    const { workspaceId, evictionGeneration } = workspace;
    stub.onRequest = async ({ body }) =>
      body.expectedEvictionGeneration === before
        ? undefined
        : { status: 409, body: { error: 'invalid_transition', message: '' } };

    await create(inputOf(workspace));

    expect(stub.seen).toEqual(Array(2).fill(`POST /workspaces/${workspaceId}/restart`));
    expect(stub.requests.map(({ body }) => body.evictionGeneration)).toEqual(
      Array(2).fill(evictionGeneration),
    );
    expect(stub.requests.map(({ body }) => body.expectedEvictionGeneration)).toEqual([lost, before]);
    expect((await rowOf(workspace))?.sentEviction).toEqual({
      ...{ nodeId, evictionGeneration, before: [lost, before, null] },
    });
  });

  it('expects no generation on a node that the workspace was never sent to', async () => {
    const { workspace } = await placed({ restartMode: 'restart' });

    await create(inputOf(workspace));

    expect(stub.requests.map(({ body }) => body.expectedEvictionGeneration)).toEqual([null]);
  });

  it('sends the same request when it runs twice', async () => {
    const { workspace } = await placed();

    await create(inputOf(workspace));
    await create({ ...inputOf(workspace), taskToken: 'of-retry' });

    expect(stub.seen).toEqual(['POST /workspaces', 'POST /workspaces']);
    expect(await rowOf(workspace)).toMatchObject({ taskToken: 'of-retry', status: 'provisioning' });
  });

  const refusal = (error: string) => ({ status: 409, body: { error, message: '' } });
  it.each([
    ['restart', {}, ['restart']],
    ['rebuild', {}, ['rebuild']],
    ['restart', { restart: refusal('invalid_transition') }, ['restart', 'rebuild']],
    ['restart', { restart: refusal('not_found'), rebuild: refusal('not_found') }, ['restart', 'rebuild', '']],
  ] as const)(
    'asks for a %s of what has files, and creates where there are none (%j)',
    async (how, answers, asked) => {
      const { workspace } = await placed({ restartMode: how });
      const { workspaceId } = workspace;
      stub.onRequest = async ({ path }) =>
        Object.entries(answers).find(([name]) => path.endsWith(`/${name}`))?.[1];

      await create(inputOf(workspace));

      const paths = asked.map((name) =>
        name ? `POST /workspaces/${workspaceId}/${name}` : 'POST /workspaces',
      );
      expect(stub.seen).toEqual(paths);
      expect(stub.requests[0]?.body).toMatchObject({ generation: 1, callbackToken: expect.any(String) });
    },
  );

  it('does not wait when it runs after the ready callback', async () => {
    const { workspace, node } = await placed();
    const { workspaceId, generation } = workspace;
    const life = { workspaceId, generation, nodeId: node.nodeId };
    await markReady(table, life, { status: 'running', now: new Date() });

    await expect(create(inputOf(workspace))).rejects.toMatchObject({ name: 'WorkspaceAlreadyReady' });

    expect(stub.seen).toEqual([]);
  });

  it('does not call the node after a stop', async () => {
    const { workspace } = await placed();
    await stop(workspace);

    await expect(create(inputOf(workspace))).rejects.toMatchObject({ name: 'WorkspaceStopped' });

    expect(stub.seen).toEqual([]);
    expect(await nameOf(workspace)).toBeUndefined();
  });

  it('deletes the workspace on the node when a stop arrives during its request', async () => {
    const { workspace } = await placed();
    stub.onRequest = async ({ method }) => {
      if (method === 'POST') await stop(workspace);
      return undefined;
    };

    await expect(create(inputOf(workspace))).rejects.toMatchObject({ name: 'WorkspaceStopped' });

    expect(stub.seen).toEqual(['POST /workspaces', `DELETE /workspaces/${workspace.workspaceId}`]);
  });

  it.each([
    ['refuses', { status: 409, body: { error: 'stale_generation' } }, 'NodeRefused'],
    ['fails', { status: 500, body: {} }, 'NodeUnreachable'],
    ['sends an unknown reply', { status: 200, body: { hello: 1 } }, 'NodeUnreachable'],
  ])('fails by name when the node %s', async (_, answer, name) => {
    const { workspace } = await placed();
    stub.onRequest = async () => answer;

    await expect(create(inputOf(workspace))).rejects.toMatchObject({ name });
  });

  it('trusts only the pinned certificate', async () => {
    await using other = await NodeStub.start();
    const { workspace } = await placed({}, { certificatePem: other.certificatePem });

    await expect(create(inputOf(workspace))).rejects.toMatchObject({ name: 'NodeUnreachable' });

    expect(stub.seen).toEqual([]);
  });

  it('refuses an earlier generation', async () => {
    const { workspace } = await placed({ generation: 2 });

    const late = create({ ...inputOf(workspace), generation: 1 });

    await expect(late).rejects.toMatchObject({ name: 'StaleGeneration' });
  });
});

describe('RemoveFromNode', () => {
  it('deletes the workspace, accepts a repeat, and a node that does not have it', async () => {
    const { workspace } = await placed({ status: 'errored' });
    stub.onRequest = async () =>
      stub.requests.length > 1 ? { status: 404, body: { error: 'not_found' } } : undefined;

    await remove(inputOf(workspace));
    await remove(inputOf(workspace));

    const path = `DELETE /workspaces/${workspace.workspaceId}`;
    expect(stub.seen).toEqual([path, path]);
  });

  it('does not accept a 404 that is not a reply of the agent', async () => {
    const { workspace } = await placed({ status: 'errored' });
    stub.onRequest = async () => ({ status: 404, body: 'no such page' });

    await expect(remove(inputOf(workspace))).rejects.toMatchObject({ name: 'NodeRefused' });
  });

  it('calls nobody when the node is gone or the workspace has a later generation', async () => {
    const gone = await placed({ status: 'errored' }, { status: 'deleted' });
    const again = await placed({ generation: 2 });

    await remove(inputOf(gone.workspace));
    await remove({ ...inputOf(again.workspace), generation: 1 });

    expect(stub.seen).toEqual([]);
  });
});

describe('a released slot', () => {
  it('is free for the next workspace when the node has confirmed', async () => {
    const { workspace, node } = await placed();
    await create(inputOf(workspace));
    await stop(workspace);

    await stopOnNode(inputOf(workspace));
    await markStopped({ ...inputOf(workspace), nodeConfirmed: true });
    await markStopped({ ...inputOf(workspace), nodeConfirmed: true });

    expect(stub.seen.at(-1)).toBe(`POST /workspaces/${workspace.workspaceId}/stop`);
    expect(await rowOf(workspace)).toMatchObject({ status: 'stopped' });
    expect(await nameOf(workspace)).toBeUndefined();
    expect(await placeOf(node.userId)).toEqual({ nodeId: node.nodeId, launch: false, join: false });
  });

  it.each([
    ['stop', () => markStopped],
    ['undo', () => release],
  ])('without the word of the node, by a %s, gets the node nothing new', async (_, step) => {
    const { workspace, node } = await placed({ status: 'stopping', dispatchedAt: new Date().toISOString() });

    await step()({ ...inputOf(workspace), nodeConfirmed: false });

    const after = await findNode(table, node.nodeId);
    expect(after?.slots).toBeUndefined();
    expect(after?.retiredAt).toBeDefined();
    expect(await placeOf(node.userId)).toMatchObject({ launch: true });
  });

  async function placeOf(userId: string) {
    const next = await pendingWorkspace(table, { userId });
    return placeWorkspace(table, next, { now: new Date(), nodeIdFor: async () => newId(), limits });
  }
});
