import { ContainerFollower } from '../diagnostics/container-follower.js';
import type { DebugSources } from '../diagnostics/debug-package.js';
import { Journal } from '../diagnostics/journal.js';
import type { LogRing } from '../diagnostics/log-ring.js';
import { MetricsSampler } from '../diagnostics/metrics-sampler.js';
import { NodeContainers } from '../diagnostics/node-containers.js';
import { NodeLogs } from '../diagnostics/node-logs.js';
import type { ResourceGuard } from '../pressure/resource-guard.js';
import type { Foundation } from './foundation.js';
import { composePressure } from './pressure.js';
import type { WorkspaceServices } from './workspaces.js';

const logFolder = '/var/log';

export interface DiagnosticServices {
  readonly nodeLogs: NodeLogs;
  readonly sources: DebugSources;
  readonly sampler: MetricsSampler;
  /** Null in the standalone role. */
  readonly guard: ResourceGuard | null;
  readonly start: () => void;
}

/** Logs, load and state of the node as a whole. */
export function composeDiagnostics(
  foundation: Foundation,
  workspaces: Pick<WorkspaceServices, 'containers'>,
  ring: LogRing,
): DiagnosticServices {
  const { config, engine, storage, log } = foundation;
  const { nodeId, stateDir, logs, diagnostics } = config;
  const guard = composePressure(foundation, workspaces);
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
    pressure: () => guard?.report() ?? null,
    ring,
    containers,
    logFolder,
    logLimit: diagnostics.packageLogLimit,
    packageTimeoutMs: diagnostics.packageTimeoutMs,
  };
  const options = { intervalMs: diagnostics.metricsIntervalMs, diskPath: stateDir };
  const sampler = new MetricsSampler(options, metrics, log);
  const start = () => {
    sampler.start();
    guard?.start();
  };
  return { nodeLogs, sources, sampler, guard, start };
}
