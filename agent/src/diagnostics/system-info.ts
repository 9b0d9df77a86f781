import { availableParallelism, freemem, loadavg, release, totalmem, uptime } from 'node:os';
import { agentVersion } from '../node/agent-version.js';
import { diskSpace, type NodeMetrics, readNodeMetrics } from '../node/node-metrics.js';
import type { DebugSources } from './debug-package.js';
import type { NodeContainers } from './node-containers.js';

/** Load and software of this machine. When the engine does not answer, the result says so. */
export async function systemInfo({
  stateDir,
  containers,
  pressure,
}: Pick<DebugSources, 'stateDir' | 'containers' | 'pressure'>) {
  const [metrics, disk, docker] = await Promise.all([
    readNodeMetrics(stateDir),
    diskSpace(stateDir),
    dockerInfo(containers),
  ]);
  return {
    cpu: loads(),
    memory: memory(metrics),
    disk: {
      ...disk,
      usedPercent: metrics.diskPercent,
      mountPath: stateDir,
    },
    uptime: { seconds: Math.round(uptime()) },
    pressure: pressure(),
    docker,
    software: { kernel: release(), nodeVersion: process.version },
    agent: {
      version: agentVersion,
      uptimeSeconds: Math.round(process.uptime()),
      rssBytes: process.memoryUsage.rss(),
      heapBytes: process.memoryUsage().heapUsed,
    },
  };
}

function loads() {
  const [loadAvg1 = 0, loadAvg5 = 0, loadAvg15 = 0] = loadavg();
  return { loadAvg1, loadAvg5, loadAvg15, numCpu: availableParallelism() };
}

function memory({ memoryPercent }: NodeMetrics) {
  return { totalBytes: totalmem(), freeBytes: freemem(), usedPercent: memoryPercent };
}

async function dockerInfo(containers: NodeContainers) {
  try {
    const [version, containerList] = await Promise.all([containers.version(), containers.list()]);
    return { version, containers: containerList.length, containerList };
  } catch {
    return { version: null, containers: 0, containerList: [], error: 'The Docker engine does not answer' };
  }
}
