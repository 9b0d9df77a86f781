import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from '../../integration/agent/agent-process.js';
import { baseImage, docker, hasDocker } from '../../integration/agent/docker-engine.js';
import { FakeControlPlane } from '../../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../../integration/agent/workspace-request.js';
import { isLongRun } from '../run-length.js';
import { Canaries } from './canaries.js';
import { corpus } from './corpus.js';
import { addHostileRepository, type HostileRepository, type Target } from './hostile-repository.js';

const waiting = { timeout: 170_000, interval: 100 };
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });
const attacks = corpus.filter(({ isGrave }) => isGrave || isLongRun);

describe.skipIf(!hasDocker())('a hostile repository (with a Docker engine and the base image)', () => {
  const ids = new Map<string, string>();
  let fake: FakeControlPlane;
  let agent: AgentProcess;
  let target: Target;
  let canaries: Canaries;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_NETWORK: 'none',
      WORKSPACE_BUILD_QUEUE_DEPTH: '3',
    });
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    const state = join(agent.folder, 'state');
    target = { outside, state, url: fake.url, image: baseImage };
    // The unit of a node sets this variable.
    const umask = process.umask(0o077);
    await agent.start();
    process.umask(umask);
    await vi.waitFor(() => expect(fake.callsTo('heartbeat')).not.toEqual([]), waiting);
    const own = ['.', 'clones', 'builds', 'run', 'snapshots', 'tls'].map((name) => join(state, name));
    canaries = new Canaries(
      [outside, agent.folder, join(agent.folder, 'secrets'), join(agent.folder, 'workspaces'), ...own],
      ['/etc', '/usr/local/bin', '/var/spool/cron', join(process.env.HOME ?? '/root', '.ssh')],
      /\.db(?:-\w+)?$|\/(?:builds|clones|run)\/[^/]{26}|\/state\/(?:ready|sandbox)$/,
    );
    canaries.plant();
    for (const attack of attacks) ids.set(attack.name, await create(attack));
  });

  afterAll(async () => {
    for (const id of ids.values()) await about(id, 'DELETE').catch(() => undefined);
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const about = async (id: string, method: string, what = '') =>
    agent.call(method, `/workspaces/${id}${what}`, await fake.management(id));

  async function create(attack: HostileRepository): Promise<string> {
    const id = ulid();
    const name = id.toLowerCase();
    addHostileRepository(fake.repositories, name, attack.files(target));
    const body = await workspaceRequest(fake, id, {
      repository: `octo/${name}`,
      cloneUrl: fake.cloneUrl(name),
    });
    expect(await agent.call('POST', '/workspaces', await fake.management(id), body)).toMatchObject({
      status: 202,
    });
    return id;
  }

  const outcomes = (id: string) => [
    ...fake.callsTo(`${id}/ready`).map(({ body }) => body.status),
    ...fake.callsTo(`${id}/provisioning-failed`).map(() => 'failed'),
  ];

  const untilOutcome = (id: string, count: number) =>
    vi.waitFor(() => {
      const all = outcomes(id);
      expect(all).toHaveLength(count);
      return all.at(-1);
    }, waiting);

  const bootLog = (id: string) =>
    JSON.stringify([
      ...fake.callsTo(`${id}/boot-log`).map(({ body }) => body.entry),
      ...fake.callsTo(`${id}/provisioning-failed`).map(({ body }) => body),
    ]);

  it.each(attacks)('$name', async ({ name, change, outcome, reason }) => {
    const id = ids.get(name) ?? '';
    const first = await untilOutcome(id, 1);
    if (change) {
      expect(first, bootLog(id)).toBe('running');
      docker('exec', `svc-ws-${id}`, 'sh', '-c', change(target));
      await about(id, 'POST', '/rebuild');
    }

    const last = change ? await untilOutcome(id, 2) : first;
    expect(canaries.changes()).toEqual([]);
    expect(foundInContainer(id, canaries.secret)).toBe('');
    expect(bootLog(id)).not.toContain(canaries.secret);
    expect(last, bootLog(id)).toBe(outcome);
    if (reason) expect(bootLog(id)).toMatch(reason);
  });
});

/** Files of the container that contain the text, without those of its image. */
function foundInContainer(id: string, text: string): string {
  const where = '/workspaces /tmp /root /home /run /etc /stolen /usr/local';
  return docker('exec', `svc-ws-${id}`, 'sh', '-c', `grep -rls ${text} ${where}`);
}
