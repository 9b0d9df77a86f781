import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Docker from 'dockerode';
import { MemoryMonitor } from '../../agent/src/pressure/memory-monitor.js';
import { OomKills } from '../../agent/src/pressure/oom-kills.js';
import { raiseTools } from '../../agent/src/pressure/tool-scores.js';
import { findControlGroup } from '../../agent/src/resource-history/control-group.js';
import { ResourceSampler } from '../../agent/src/resource-history/resource-sampler.js';
import { Log } from '../../agent/src/shared/log.js';
import { ContainerMetrics } from '../../agent/src/workspaces/container/container-metrics.js';
import { DockerEngine } from '../../agent/src/workspaces/container/docker-engine.js';
import { baseImage, docker, hasDocker } from '../integration/agent/docker-engine.js';
import { StartedWorkspaces } from '../integration/agent/started-workspaces.js';
import { type Measurement, median, percentile } from './measurement.js';
import { measurePressureToFence } from './pressure-to-fence.js';
import { EchoLink, sampleEchoes } from './terminals/echo.js';

const containers = 20;
const rounds = 60;
/** The default settings, in seconds. */
const intervals = { poll: 10, stats: 30, sample: 5 };
const thresholds = { some: { warning: 25, critical: 50 }, full: { warning: 10, critical: 25 } };
const log = new Log({ level: 'error', format: 'json' }, () => {});
const echoSamples = 300;
const hog = 'while :; do head -c 1G /dev/zero | tail >/dev/null; done';

/** The cost of watching, the time until the agent acts, and the effect of a hog on others. */
export async function measureEviction(): Promise<readonly Measurement[]> {
  if (!hasDocker()) return [];
  return [...(await measureGuard()), ...(await measurePressureToFence()), ...(await measureNeighbours())];
}

async function measureGuard(): Promise<readonly Measurement[]> {
  const nodeId = randomUUID();
  const ids = Array.from({ length: containers }, (_, index) =>
    docker(
      ...['run', '-d', '--init', '--network', 'none', '--memory', '64m', '--entrypoint', '/bin/sh'],
      ...['--label', `svc.node=${nodeId}`, '--label', `svc.workspace=w${index}`],
      ...[baseImage, '-c', 'while :; do sleep 3600; done'],
    ),
  );
  try {
    const metrics = new ContainerMetrics(new DockerEngine(new Docker()));
    const kills = new OomKills({ now: Date.now });
    const memory = new MemoryMonitor(thresholds, log);
    const samplers = ids.flatMap((id) => {
      const group = findControlGroup(id);
      return group ? [new ResourceSampler(group, intervals.sample * 1_000)] : [];
    });
    const check = async () => {
      for (const { id } of await metrics.sample(nodeId, AbortSignal.timeout(5_000))) {
        kills.read(id);
        raiseTools(findControlGroup(id)?.processes() ?? []);
      }
    };
    const poll = async () => void memory.sample(new Date());
    const sample = async () => {
      for (const one of samplers) one.take({ wallMs: Date.now(), monotonicMs: performance.now() });
    };
    await check();
    const before = heapMiB();
    const share =
      (await cpuSeconds(check)) / intervals.stats +
      (await cpuSeconds(poll)) / intervals.poll +
      (await cpuSeconds(sample)) / intervals.sample;
    return [
      {
        name: `Resource guard and samplers, ${samplers.length} containers, share of one core`,
        value: Math.round(share * 100_000) / 1_000,
        unit: '%',
        limit: 0.5,
      },
      {
        name: `— heap after ${rounds} rounds of each, against before`,
        value: Math.max(0, Math.round((heapMiB() - before) * 10) / 10),
        unit: 'MiB',
        limit: 6,
      },
    ];
  } finally {
    docker('rm', '-f', ...ids);
  }
}

/** Of this process, for one run. The engine's work is its own. */
async function cpuSeconds(work: () => Promise<void>): Promise<number> {
  const begun = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) await work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6 / rounds;
}

/** Of what is in use. */
function heapMiB(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

/** Both innocents in turn, without and with the hog, in the same minutes. */
async function measureNeighbours(): Promise<readonly Measurement[]> {
  await using started = await StartedWorkspaces.start('workspace', 3, { HEARTBEAT_INTERVAL: '60s' });
  const { agent, fake, workspaceIds } = started;
  const names = workspaceIds.map((id) => `svc-ws-${id}`);
  docker('update', '--memory', '512m', '--memory-swap', '512m', ...names);
  const links = await Promise.all(
    workspaceIds.slice(1).map(async (id) => {
      const url = `wss://127.0.0.1:${agent.port}/terminal/ws/multi?token=${await fake.terminal(id)}`;
      return EchoLink.open({ kind: 'agent', url, ca: agent.certificate() }, 'bench');
    }),
  );
  const sample = async () => (await sampleEchoes(links, echoSamples)).flat();
  const without = await sample();
  docker('exec', '-d', names[0] ?? '', 'sh', '-c', hog);
  await delay(2_000);
  const during = await sample();
  for (const link of links) link.close();
  const [alone, beside] = [without, during].map((one) => Math.round(percentile(one, 0.99)));
  return neighbours({ alone: alone ?? 0, beside: beside ?? 0, p50s: [median(without), median(during)] });
}

interface Echoes {
  readonly alone: number;
  readonly beside: number;
  readonly p50s: readonly [without: number, during: number];
}

function neighbours({ alone, beside, p50s: [without, during] }: Echoes): readonly Measurement[] {
  return [
    { name: 'Echo of two other workspaces without a hog, p99', value: alone, unit: 'ms' },
    {
      name: '— while one allocates up to its limit again and again, p99',
      value: beside,
      unit: 'ms',
      limit: 50,
    },
    { name: '— p99 against without', value: rounded(beside / alone), unit: 'x' },
    { name: '— p50 against without', value: rounded(during / without), unit: 'x' },
  ];
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
