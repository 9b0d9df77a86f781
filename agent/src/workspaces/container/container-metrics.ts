import type { ContainerInfo, ContainerStats } from 'dockerode';
import type { ContainerUse } from '../../pressure/pressure.js';
import { controlGroupRoot, findControlGroup } from '../../resource-history/control-group.js';
import type { ContainerMetric } from '../runtime.js';
import type { DockerEngine } from './docker-engine.js';
import { labels } from './docker-names.js';

const maxContainers = 64;
/** The heartbeat waits for this: an engine that hangs must not make the node look dead. */
const longestMs = 5_000;

/** CPU time of a container, and the time of a clock that runs at the speed of one processor. */
interface CpuSample {
  readonly used: number;
  readonly clock: number;
}

interface Figures {
  readonly cpu: CpuSample;
  /** Without the page cache, which the kernel frees before it kills a process. */
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number | null;
  readonly pids: number;
}

type Measured = ContainerUse & { readonly hasLimit: boolean };

/**
 * Measures the containers of this node, each relative to its previous measurement: in its control
 * group, which costs the engine nothing; where that is on another machine, through the engine.
 */
export class ContainerMetrics {
  private samples = new Map<string, CpuSample>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly timeoutMs = longestMs,
    private readonly groupRoot = controlGroupRoot,
  ) {}

  /** The use of each workspace, with its services. */
  async measure(nodeId: string): Promise<ContainerMetric[]> {
    return perWorkspace(await this.measureEach(nodeId));
  }

  /**
   * The use of each container. Leaves out containers that cannot be measured in time or are gone.
   * @throws when the engine does not answer
   */
  async sample(nodeId: string, signal: AbortSignal): Promise<readonly ContainerUse[]> {
    return (await this.measureEach(nodeId, signal)).map(({ hasLimit: _, ...use }) => use);
  }

  private async measureEach(nodeId: string, signal?: AbortSignal): Promise<Measured[]> {
    const filters = { label: [`${labels.node}=${nodeId}`], status: ['running'] };
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const containers = await this.engine.docker.listContainers({ filters, abortSignal });
    const samples = new Map<string, CpuSample>();
    const measured = await Promise.all(
      containers.slice(0, maxContainers).map(async (container) => {
        const figures = await this.figures(container, abortSignal).catch(() => null);
        if (figures === null) return null;
        samples.set(container.Id, figures.cpu);
        return useOf(container, figures, this.samples.get(container.Id));
      }),
    );
    this.samples = samples;
    return measured.filter((use) => use !== null);
  }

  private async figures({ Id: id, Labels }: ContainerInfo, abortSignal: AbortSignal): Promise<Figures> {
    const limit = Labels[labels.memory];
    const inGroup = this.inGroup(id, limit === undefined ? null : Number(limit));
    if (inGroup) return inGroup;
    // The client accepts the signal; its types omit it.
    const options = { stream: false as const, 'one-shot': true, abortSignal };
    return ofStats(await this.engine.docker.getContainer(id).stats(options), limit);
  }

  private inGroup(id: string, limit: number | null): Figures | null {
    const figures = findControlGroup(id, this.groupRoot)?.read();
    const memoryBytes = figures?.memoryWorkingSetBytes;
    if (figures?.cpuMillis === undefined || memoryBytes === undefined) return null;
    return {
      cpu: { used: figures.cpuMillis, clock: performance.now() },
      memoryBytes,
      memoryLimitBytes: limit ?? figures.memoryLimitBytes ?? null,
      pids: figures.pidsCurrent ?? 0,
    };
  }
}

function ofStats({ cpu_stats, memory_stats, pids_stats }: ContainerStats, limit?: string): Figures {
  // The page cache is reclaimable and not counted; its field name depends on the cgroup version.
  const cached = memory_stats.stats?.inactive_file ?? memory_stats.stats?.total_inactive_file ?? 0;
  return {
    cpu: {
      used: cpu_stats.cpu_usage.total_usage,
      clock: cpu_stats.system_cpu_usage / (cpu_stats.online_cpus || 1),
    },
    memoryBytes: Math.max(0, (memory_stats.usage ?? 0) - cached),
    // Containers from before the label have the figure of the engine.
    memoryLimitBytes: limit === undefined ? (memory_stats.limit ?? null) : Number(limit),
    pids: pids_stats?.current ?? 0,
  };
}

function useOf(
  { Id: id, Names, Labels }: ContainerInfo,
  { cpu, memoryBytes, memoryLimitBytes, pids }: Figures,
  before: CpuSample | undefined,
): Measured {
  const limit = memoryLimitBytes ?? 0;
  return {
    id,
    name: Names?.[0]?.replace(/^\//, '') ?? id,
    workspaceId: Labels[labels.workspace],
    cpuPercent: cpuPercent(before, cpu),
    memoryBytes,
    memoryLimitBytes: limit,
    memoryPercent: limit === 0 ? 0 : Math.round((memoryBytes / limit) * 1_000) / 10,
    pids,
    collectedAt: new Date(),
    hasLimit: memoryLimitBytes !== null,
  };
}

/** 100 is one processor. */
function cpuPercent(before: CpuSample | undefined, now: CpuSample): number {
  // For a container that has ended, the engine reports no system time.
  if (!before || !(now.clock > before.clock)) return 0;
  const share = (now.used - before.used) / (now.clock - before.clock);
  return Math.max(0, Math.round(share * 1_000) / 10);
}

/** Adds the services of a workspace to its own container. */
function perWorkspace(measured: readonly Measured[]): ContainerMetric[] {
  const totals = new Map<string, ContainerMetric>();
  for (const metric of measured.map(metricOf)) {
    const total = totals.get(metric.workspaceId);
    totals.set(metric.workspaceId, total ? sum(total, metric) : metric);
  }
  return [...totals.values()];
}

function metricOf({ workspaceId = '', hasLimit, ...use }: Measured): ContainerMetric {
  return {
    workspaceId,
    memoryBytes: use.memoryBytes,
    memoryLimitBytes: hasLimit ? use.memoryLimitBytes : null,
    cpuPercent: use.cpuPercent,
    processes: use.pids,
  };
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
