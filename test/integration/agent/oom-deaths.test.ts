import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OomKills, oomKillText } from '../../../agent/src/pressure/oom-kills.js';
import { Log } from '../../../agent/src/shared/log.js';
import { ContainerMetrics } from '../../../agent/src/workspaces/container/container-metrics.js';
import { ContainerWatch } from '../../../agent/src/workspaces/container/container-watch.js';
import { DockerEngine } from '../../../agent/src/workspaces/container/docker-engine.js';
import type { OomDeath } from '../../../agent/src/workspaces/container/oom-deaths.js';
import { until } from '../../support/until.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';

const log = new Log({ level: 'error', format: 'json' }, () => {});
const idle = 'trap "exit 0" TERM; while :; do sleep 1; done';

describe.skipIf(!hasDocker())('containers of a real engine whose memory is full', () => {
  const engine = new DockerEngine(new Docker());
  const ids: string[] = [];
  let nodeId: string;
  let watch: ContainerWatch;
  let killed: string[];
  let died: OomDeath[];
  let ended: string[];

  beforeEach(() => {
    nodeId = randomUUID();
    killed = [];
    died = [];
    ended = [];
    watch = new ContainerWatch(nodeId, engine, log);
    watch.onOom({
      killed: (containerId) => killed.push(containerId),
      died: (death) => {
        // The listener of workspaces must not start it again before.
        expect(ended).not.toContain(death.workspaceId);
        died.push(death);
      },
    });
  });

  afterEach(async () => {
    await watch[Symbol.asyncDispose]();
    for (const id of ids.splice(0)) docker('rm', '-f', id);
  });

  /** A container as the agent makes them, with less memory. */
  function run(workspaceId: string, command: string): string {
    const labels = ['--label', `svc.node=${nodeId}`, '--label', `svc.workspace=${workspaceId}`];
    const limits = ['--memory', '64m', '--memory-swap', '64m', '--oom-score-adj', '500'];
    const args = [...labels, ...limits, '--network', 'none', '--entrypoint', '/bin/sh'];
    const id = docker('run', '-d', '--init', ...args, baseImage, '-c', command);
    ids.push(id);
    return id;
  }

  async function begin(): Promise<void> {
    let isReady = false;
    watch.begin({
      ended: (workspaceId) => ended.push(workspaceId),
      serviceEnded: () => undefined,
      anyMayHaveEnded: () => {
        isReady = true;
      },
    });
    await until('the subscription', () => isReady || undefined);
  }

  it('reports a killed first process before the end, once', async () => {
    await begin();
    const id = run('w-first', 'exec tail /dev/zero');

    await until('the end', () => ended.includes('w-first') || undefined);

    const { Name, State } = (await engine.inspect(id)) ?? {};
    expect(died).toEqual([
      {
        containerId: id,
        containerName: Name?.slice(1),
        workspaceId: 'w-first',
        exitCode: 137,
        occurredAt: expect.any(Date),
      },
    ]);
    const finishedAt = Date.parse(State?.FinishedAt ?? '');
    expect(Math.abs((died[0]?.occurredAt.getTime() ?? 0) - finishedAt)).toBeLessThan(5_000);
  });

  it('finds a container that died while nobody watched', async () => {
    const id = run('w-missed', 'exec tail /dev/zero');
    docker('wait', id);

    await begin();

    expect(died).toMatchObject([{ containerId: id, workspaceId: 'w-missed', exitCode: 137 }]);
  });

  it('does not take a container that somebody killed for one that was out of memory', async () => {
    await begin();
    const id = run('w-killed', idle);
    docker('kill', id);

    await until('the end', () => ended.includes('w-killed') || undefined);

    expect(died).toEqual([]);
    await watch[Symbol.asyncDispose]();
  });

  it('reports a killed child while the first process lives, with the numbers of the kernel', async () => {
    await begin();
    const kills = new OomKills({ now: Date.now });
    const id = run('w-child', idle);
    kills.read(id);
    const startedAt = Date.now();

    docker('exec', id, 'tail', '/dev/zero');

    const kill = kills.since(id, startedAt);
    expect(kill && oomKillText(kill)).toMatch(
      /^the workspace's memory was full, 0\.06 of 0\.06 GiB; killed process: tail, 0\.0[4-6] GiB$/,
    );
    await until('the event', () => killed.includes(id) || undefined);
    expect(died).toEqual([]);
    expect(ended).toEqual([]);
    const [use] = await new ContainerMetrics(engine).sample(nodeId, AbortSignal.timeout(5_000));
    expect(use).toMatchObject({ id, workspaceId: 'w-child', memoryLimitBytes: 64 * 2 ** 20 });
    expect(use?.pids).toBeGreaterThan(1);
  });
});
