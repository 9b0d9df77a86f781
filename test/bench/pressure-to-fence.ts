import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { buildAgent } from '../../scripts/build-agent.js';
import { docker, holdMemory } from '../integration/agent/docker-engine.js';
import { FakeControlPlane, nodeId } from '../integration/agent/fake-control-plane.js';
import { SnapshotPlane } from '../integration/agent/snapshot-plane.js';
import { workspaceRequest } from '../integration/agent/workspace-request.js';
import { ObjectStore } from '../integration/snapshots/object-store.js';
import { NemesisNode } from '../nemesis/eviction/nemesis-node.js';
import { until } from '../support/until.js';
import type { Measurement } from './measurement.js';

const rounds = 5;
/** Pressure begins at another part of the guard's interval in each round. */
const stepMs = 2_000;
const interval = { DEFAULT_PSI_POLL_INTERVAL_SECONDS: '10' };

/** From critical pressure to the fence, with the interval of the default settings. */
export async function measurePressureToFence(): Promise<readonly Measurement[]> {
  await using stack = new AsyncDisposableStack();
  const fake = stack.use(await FakeControlPlane.start('0.0.0.0'));
  new SnapshotPlane(fake, stack.use(await ObjectStore.start()));
  const bundle = await buildAgent(join(mkdtempSync(join(tmpdir(), 'fence-')), 'main.js'));
  const node = stack.use(await NemesisNode.start(nodeId, { fake }, bundle, interval));
  const reactions: number[] = [];
  const snapshots: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const id = await openWorkspace(fake, node);
    await delay(stepMs * round);
    const snapshot = watchSnapshot(fake);
    const begun = Date.now();
    node.setPressure('critical');
    const fenced = await until('the fence', () => (node.stored(id).isFenced ? Date.now() : undefined));
    node.setPressure('none');
    snapshots.push(snapshot.endedAt - snapshot.beganAt);
    reactions.push(fenced - begun - (snapshot.endedAt - snapshot.beganAt));
    await until('the report', () => fake.callsTo(`${id}/eviction`)[0]);
    await node.agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
  }
  return [
    {
      name: `Critical pressure to the fence, less the snapshot, longest of ${rounds}`,
      value: longest(reactions),
      unit: 's',
      limit: 10,
    },
    { name: '— the snapshot, longest', value: longest(snapshots), unit: 's' },
  ];
}

const longest = (milliseconds: readonly number[]): number => Math.round(Math.max(...milliseconds) / 100) / 10;

/** A running workspace with a chat, which holds more memory than the other ones. */
async function openWorkspace(fake: FakeControlPlane, node: NemesisNode): Promise<string> {
  const id = ulid();
  const call = async (path: string, body: object) =>
    node.agent.call('POST', `/workspaces${path}`, await fake.management(id), body);
  const limits = { reservation: { cpuMillis: 500, memoryMb: 512 }, evictionGeneration: ulid() };
  await call('', await workspaceRequest(fake, id, limits));
  await until(`${id} to be ready`, () => fake.callsTo(`${id}/ready`)[0]);
  await call(`/${id}/agent-sessions`, { sessionId: 'agent', chatSessionId: 'chat', projectId: 'project' });
  docker('exec', '-d', `svc-ws-${id}`, 'sh', '-c', holdMemory(64));
  return id;
}

/** From the first capture of an eviction to the end of its last one. */
function watchSnapshot(fake: FakeControlPlane) {
  const seen = { beganAt: 0, endedAt: 0 };
  fake.intercept = async ({ path }) => {
    if (path.endsWith('session-snapshot/prepare')) seen.beganAt ||= Date.now();
    if (path.endsWith('session-snapshot/complete')) seen.endedAt = Date.now();
    return undefined;
  };
  return seen;
}
