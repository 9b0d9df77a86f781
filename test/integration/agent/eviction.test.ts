import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EvictionDeliveryStore } from '../../../agent/src/eviction/delivery-store.js';
import { openDatabase } from '../../../agent/src/store/database.js';
import { WorkspaceStore } from '../../../agent/src/store/workspace-store.js';
import { until } from '../../support/until.js';
import { ObjectStore } from '../snapshots/object-store.js';
import { AgentUnderPressure } from './agent-under-pressure.js';
import { baseImage, docker, engineGateway, hasDocker, runOutOfMemory } from './docker-engine.js';
import { FakeControlPlane, nodeId } from './fake-control-plane.js';
import { SnapshotPlane } from './snapshot-plane.js';
import { workspaceRequest } from './workspace-request.js';

describe.skipIf(!hasDocker())('evictions of containers (with the image of scripts/base-image.sh)', () => {
  let fake: FakeControlPlane;
  let store: ObjectStore;
  let plane: SnapshotPlane;
  let agent: AgentUnderPressure;
  const made: string[] = [];

  beforeAll(async () => {
    fake = await FakeControlPlane.start('0.0.0.0');
    store = await ObjectStore.start();
    agent = new AgentUnderPressure(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_LOOPBACK_ALIAS: engineGateway(),
    });
    await agent.start();
  });
  beforeEach(() => {
    plane = new SnapshotPlane(fake, store);
    agent.pressure.critical = false;
  });
  afterAll(async () => {
    for (const id of made) await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
    await agent[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const nameOf = (id: string) => `svc-ws-${id}`;
  const inside = (id: string, script: string) =>
    spawnSync('docker', ['exec', nameOf(id), 'sh', '-c', script], { encoding: 'utf8' });
  const isRunning = (id: string) => docker('inspect', '-f', '{{.State.Running}}', nameOf(id)) === 'true';
  const evictionsOf = (id: string) => fake.callsTo(`workspaces/${id}/eviction`).map(({ body }) => body);
  const capturesOf = (id: string) => fake.callsTo(`${id}/session-snapshot/prepare`).map(({ body }) => body);

  async function call(id: string, path: string, body?: unknown) {
    return agent.call('POST', `/workspaces${path}`, await fake.management(id), body);
  }

  async function workspaceOf(id: string) {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    const all = body.workspaces as { workspaceId: string; status: string; errorMessage: string | null }[];
    return all.find(({ workspaceId }) => workspaceId === id);
  }

  /** Whether a tar of the last snapshot has a file of this name. */
  async function archived(name: string): Promise<boolean> {
    const objects = [...store.objects.values()];
    const sections = (plane.manifest?.sections ?? []).flatMap(({ artifact, offset, sizeBytes }) => {
      const sizes = plane.manifest?.artifacts[artifact]?.sizeBytes;
      const object = objects.findLast((one) => one.length === sizes);
      return object && sizeBytes > 0 ? [object.subarray(offset, offset + sizeBytes)] : [];
    });
    return sections.some((section) => zstdDecompressSync(section).includes(name));
  }

  const untilStatus = (id: string, status: string) =>
    until(`${status} of the workspace`, async () => (await workspaceOf(id))?.status === status || undefined);

  /** A running workspace with a chat of a project, and work that is in no commit. */
  async function make(evictionGeneration: string, hasChat = true): Promise<string> {
    const id = ulid();
    made.push(id);
    const limits = { reservation: { cpuMillis: 500, memoryMb: 512 }, evictionGeneration };
    await call(id, '', await workspaceRequest(fake, id, limits));
    await untilStatus(id, 'running');
    const session = { sessionId: 'agent', chatSessionId: 'chat', projectId: 'project' };
    if (hasChat) await call(id, `/${id}/agent-sessions`, session);
    expect(inside(id, 'echo work > work.txt && echo home > "$HOME/home.txt"')).toMatchObject({ status: 0 });
    return id;
  }

  it('captures, stops and reports the largest workspace with a chat, and no other', async () => {
    const generation = ulid();
    const [alone, hog, innocent] = [await make(ulid(), false), await make(generation), await make(ulid())];

    agent.press(alone, hog, innocent);
    await untilStatus(hog, 'evicted');
    await until('the report', () => evictionsOf(hog)[0]);

    expect(evictionsOf(hog)).toEqual([
      {
        nodeId,
        workspaceId: hog,
        reason: 'memory_pressure',
        snapshotCaptured: true,
        containerStopped: true,
        evictionGeneration: generation,
        workInFlight: false,
        cause: {
          usedBytes: 99,
          limitBytes: 200,
          largestProcess: expect.objectContaining({ bytes: expect.any(Number) }),
        },
      },
    ]);
    expect(capturesOf(hog)).toEqual([
      expect.objectContaining({ eviction: { reason: 'memory_pressure', evictionGeneration: generation } }),
    ]);
    expect(await archived('work.txt')).toBe(true);
    expect(isRunning(hog)).toBe(false);
    expect([alone, innocent].map(isRunning)).toEqual([true, true]);
    expect(capturesOf(innocent)).toEqual([]);

    // The cooldown.
    agent.press(innocent);
    // A create, of whatever generation, does not clear the fence.
    for (const body of [{ generation: 1 }, { generation: 2 }])
      expect(await call(hog, '', await workspaceRequest(fake, hog, body))).toMatchObject({
        status: 409,
        body: { error: 'workspace_not_creatable' },
      });
    const next = ulid();
    const restart = (body: object) => call(hog, `/${hog}/restart`, body);
    expect(await restart({})).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(await restart({ evictionGeneration: next, expectedEvictionGeneration: ulid() })).toMatchObject({
      status: 409,
      body: { error: 'invalid_transition' },
    });
    expect((await workspaceOf(hog))?.status).toBe('evicted');
    expect(await restart({ evictionGeneration: next, expectedEvictionGeneration: generation })).toMatchObject(
      {
        status: 202,
      },
    );
    await untilStatus(hog, 'running');
    expect(inside(hog, 'cat work.txt').stdout).toBe('work\n');
    expect(isRunning(innocent)).toBe(true);
  });

  it('goes on when the control plane refuses the capture', async () => {
    const id = await make(ulid());
    fake.next.set('prepare', [{ status: 409, body: { error: 'STALE_OPERATION', message: 'no' } }]);
    await agent.kill();
    await agent.start();

    agent.press(id);
    await until('the attempt', () => capturesOf(id)[0]);
    await until('its end', () => agent.output.includes('Eviction failed') || undefined);

    expect(await workspaceOf(id)).toMatchObject({ status: 'running' });
    expect(isRunning(id)).toBe(true);
    expect(evictionsOf(id)).toEqual([]);
  });

  it('captures once more what changed during the capture', async () => {
    const id = await make(ulid());
    const complete = fake.handlers.get('complete');
    if (!complete) throw new Error('No handler');
    fake.handlers.set('complete', async (body) => {
      fake.handlers.set('complete', complete);
      inside(id, 'echo late > late.txt');
      return complete(body);
    });
    await agent.kill();
    await agent.start();

    agent.press(id);
    await untilStatus(id, 'evicted');

    expect(capturesOf(id)).toHaveLength(2);
    expect(await archived('late.txt')).toBe(true);
  });

  it('ends an eviction between whose fence and stop the agent ended', async () => {
    const id = await make(ulid());
    await agent.kill();
    const database = openDatabase(join(agent.folder, 'state', 'state.db'));
    const workspaces = new WorkspaceStore(database, () => new Date());
    const fences = new EvictionDeliveryStore(database, workspaces, { nodeId, now: Date.now });
    const workspace = workspaces.find(id);
    if (!workspace) throw new Error('No workspace');
    const containerId = docker('inspect', '-f', '{{.Id}}', nameOf(id));
    fences.record(workspace, {
      ...{ projectId: 'project', containerId, reason: 'memory_pressure' },
      ...{ isStopped: false, isWorkInFlight: true, cause: null },
    });
    database.close();

    await agent.start();

    expect(await workspaceOf(id)).toMatchObject({ status: 'evicted' });
    expect(isRunning(id)).toBe(false);
    await until('the report', () => evictionsOf(id)[0]);
    expect(evictionsOf(id)).toEqual([
      expect.objectContaining({ containerStopped: true, workInFlight: true }),
    ]);
  });

  const helpers = () => [
    docker('ps', '-aq', '--filter', `label=svc.eviction=${nodeId}`),
    docker('images', '-q', '--filter', `label=svc.eviction=${nodeId}`),
  ];

  it('captures a container that ran out of memory from its remains', async () => {
    const generation = ulid();
    const id = await make(generation);

    runOutOfMemory(nameOf(id), 512);
    await untilStatus(id, 'evicted');
    await until('the report', () => evictionsOf(id)[0]);

    expect(evictionsOf(id)).toEqual([
      expect.objectContaining({
        reason: 'oom_kill',
        evictionGeneration: generation,
        cause: {
          ...{ usedBytes: 512 * 2 ** 20, limitBytes: 512 * 2 ** 20 },
          largestProcess: { name: 'tail', bytes: expect.any(Number) },
        },
      }),
    ]);
    expect([await archived('work.txt'), await archived('home.txt')]).toEqual([true, true]);
    expect(isRunning(id)).toBe(false);
    expect(helpers()).toEqual(['', '']);
  });

  it('captures again what could not be captured at first', async () => {
    const id = await make(ulid());
    await agent.kill();
    await agent.start({ DEFAULT_EVICTION_DEBOUNCE_SECONDS: '1' });
    fake.next.set('prepare', [{ status: 409, body: { error: 'STALE_OPERATION', message: 'no' } }]);

    runOutOfMemory(nameOf(id), 512);
    await untilStatus(id, 'evicted');

    expect(capturesOf(id)).toHaveLength(2);
    expect(await archived('work.txt')).toBe(true);
  });

  it('starts a container again that a client ended after a kill in it', async () => {
    const id = await make(ulid());
    inside(id, 'head -c 2G /dev/zero | tail >/dev/null');
    const startedAt = docker('inspect', '-f', '{{.State.StartedAt}}', nameOf(id));

    docker('kill', nameOf(id));

    const startOf = () => docker('inspect', '-f', '{{.State.StartedAt}}', nameOf(id));
    await until('its next start', () => (isRunning(id) && startOf() !== startedAt) || undefined);
    expect(inside(id, 'cat work.txt').stdout).toBe('work\n');
    expect(capturesOf(id)).toEqual([]);
  });

  it('does not start a container again that ran out of memory and could not be captured', async () => {
    const id = await make(ulid());
    fake.handlers.set('complete', async () => ({
      status: 409,
      body: { error: 'STALE_OPERATION', message: '' },
    }));

    runOutOfMemory(nameOf(id), 512);
    await untilStatus(id, 'errored');

    expect(await workspaceOf(id)).toMatchObject({
      errorMessage: expect.stringContaining('ran out of memory'),
    });
    expect(isRunning(id)).toBe(false);
    expect(evictionsOf(id)).toEqual([]);
    expect(helpers()).toEqual(['', '']);
  });
});
