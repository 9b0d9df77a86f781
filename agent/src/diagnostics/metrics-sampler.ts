import { statfs } from 'node:fs/promises';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import { availableMemory } from '../node/node-metrics.js';
import type { Log } from '../shared/log.js';
import type { MetricsStore, ResourceSnapshot } from './metrics-store.js';

/** Samples the machine's load at an interval. A failed sample is logged. */
export class MetricsSampler implements AsyncDisposable {
  private timer: NodeJS.Timeout | null = null;
  private sampling = Promise.resolve();

  constructor(
    private readonly options: { readonly intervalMs: number; readonly diskPath: string },
    private readonly store: MetricsStore,
    private readonly log: Log,
  ) {}

  start(): void {
    this.begin();
    this.timer = setInterval(() => this.begin(), this.options.intervalMs);
    this.timer.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.sampling;
    this.store[Symbol.dispose]();
  }

  private begin(): void {
    this.sampling = this.sampling
      .then(async () => this.store.add(new Date(), await snapshot(this.options.diskPath)))
      .catch((error: unknown) => this.log.warn('Sampling of metrics failed', { error }));
  }
}

async function snapshot(diskPath: string): Promise<ResourceSnapshot> {
  const [available, disk] = await Promise.all([availableMemory(), statfs(diskPath)]);
  const [cpuLoadAvg1 = 0, cpuLoadAvg5 = 0, cpuLoadAvg15 = 0] = loadavg();
  return {
    cpuLoadAvg1,
    cpuLoadAvg5,
    cpuLoadAvg15,
    numCpu: availableParallelism(),
    memTotalBytes: totalmem(),
    memUsedBytes: Math.round(totalmem() - available),
    diskTotalBytes: disk.blocks * disk.bsize,
    diskUsedBytes: (disk.blocks - disk.bavail) * disk.bsize,
  };
}
