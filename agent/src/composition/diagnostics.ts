import { ContainerFollower } from '../diagnostics/container-follower.js';
import type { DebugSources } from '../diagnostics/debug-package.js';
import { Journal } from '../diagnostics/journal.js';
import type { LogRing } from '../diagnostics/log-ring.js';
import { MetricsSampler } from '../diagnostics/metrics-sampler.js';
import { NodeContainers } from '../diagnostics/node-containers.js';
import { NodeLogs } from '../diagnostics/node-logs.js';
import type { Foundation } from './foundation.js';

const logFolder = '/var/log';

export interface DiagnosticServices {
  readonly nodeLogs: NodeLogs;
  readonly sources: DebugSources;
  readonly sampler: MetricsSampler;
}

/** Logs, load and state of the node as a whole. */
export function composeDiagnostics(
  { config, engine, storage, log }: Foundation,
  ring: LogRing,
): DiagnosticServices {
  const { nodeId, stateDir, logs, diagnostics } = config;
  const { restartDelayMs } = logs.stream;
  const containers = new NodeContainers(engine, nodeId);
  const nodeLogs = new NodeLogs({
    ring,
    containers,
    follower: new ContainerFollower(containers, restartDelayMs),
    journal: new Journal({ timeoutMs: logs.readerTimeoutMs, restartDelayMs }),
    cloudInitFolder: logFolder,
  });
  const { events, metrics } = storage;
  const sources = {
    nodeId,
    stateDir,
    events,
    metrics,
    ring,
    containers,
    logFolder,
    logLimit: diagnostics.packageLogLimit,
    packageTimeoutMs: diagnostics.packageTimeoutMs,
  };
  const options = { intervalMs: diagnostics.metricsIntervalMs, diskPath: stateDir };
  return { nodeLogs, sources, sampler: new MetricsSampler(options, metrics, log) };
}
