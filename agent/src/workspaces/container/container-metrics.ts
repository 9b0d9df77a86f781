import type { ContainerStats } from 'dockerode';
import type { ContainerMetric } from '../runtime.js';
import type { DockerEngine } from './docker-engine.js';
import { labels } from './docker-names.js';

const maxContainers = 64;
/** The heartbeat waits for this: an engine that hangs must not make the node look dead. */
const longestMs = 5_000;

interface CpuSample {
  readonly container: number;
  readonly system: number;
}

/** Measures the containers of this node, each relative to its previous measurement. */
export class ContainerMetrics {
  private samples = new Map<string, CpuSample>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly timeoutMs = longestMs,
  ) {}

  /** Leaves out containers that cannot be measured in time or are gone. */
  async measure(nodeId: string): Promise<ContainerMetric[]> {
    const filters = { label: [`${labels.node}=${nodeId}`], status: ['running'] };
    const abortSignal = AbortSignal.timeout(this.timeoutMs);
    const containers = await this.engine.docker.listContainers({ filters, abortSignal });
    const samples = new Map<string, CpuSample>();
    const measured = await Promise.all(
      containers.slice(0, maxContainers).map(async ({ Id: id, Labels }) => {
        const stats = await this.stats(id, abortSignal).catch(() => null);
        if (stats === null) return null;
        const cpu = {
          container: stats.cpu_stats.cpu_usage.total_usage,
          system: stats.cpu_stats.system_cpu_usage,
        };
        samples.set(id, cpu);
        return toMetric(Labels, stats, cpuPercent(this.samples.get(id), cpu, stats));
      }),
    );
    this.samples = samples;
    return perWorkspace(measured.filter((metric) => metric !== null));
  }

  private stats(id: string, abortSignal: AbortSignal): Promise<ContainerStats> {
    // The client accepts the signal; its types omit it.
    const options = { stream: false as const, 'one-shot': true, abortSignal };
    return this.engine.docker.getContainer(id).stats(options);
  }
}

/** Adds the services of a workspace to its own container. */
function perWorkspace(measured: readonly ContainerMetric[]): ContainerMetric[] {
  const totals = new Map<string, ContainerMetric>();
  for (const metric of measured) {
    const total = totals.get(metric.workspaceId);
    totals.set(metric.workspaceId, total ? sum(total, metric) : metric);
  }
  return [...totals.values()];
}

function sum(one: ContainerMetric, other: ContainerMetric): ContainerMetric {
  return {
    workspaceId: one.workspaceId,
    memoryBytes: one.memoryBytes + other.memoryBytes,
    memoryLimitBytes: (one.memoryLimitBytes ?? 0) + (other.memoryLimitBytes ?? 0),
    cpuPercent: one.cpuPercent + other.cpuPercent,
    processes: one.processes + other.processes,
  };
}

/** 100 is one processor. */
function cpuPercent(before: CpuSample | undefined, now: CpuSample, { cpu_stats }: ContainerStats): number {
  // For a container that has ended, the engine reports no system time.
  if (!before || !(now.system > before.system)) return 0;
  const share = (now.container - before.container) / (now.system - before.system);
  return Math.max(0, Math.round(share * (cpu_stats.online_cpus || 1) * 1_000) / 10);
}

function toMetric(
  { [labels.workspace]: workspaceId = '', [labels.memory]: limit }: Readonly<Record<string, string>>,
  { memory_stats, pids_stats }: ContainerStats,
  cpu: number,
) {
  // The page cache is reclaimable and not counted; its field name depends on the cgroup version.
  const cached = memory_stats.stats?.inactive_file ?? memory_stats.stats?.total_inactive_file ?? 0;
  return {
    workspaceId,
    memoryBytes: Math.max(0, (memory_stats.usage ?? 0) - cached),
    // Containers from before the label have the figure of the engine.
    memoryLimitBytes: limit === undefined ? (memory_stats.limit ?? null) : Number(limit),
    cpuPercent: cpu,
    processes: pids_stats?.current ?? 0,
  };
}
