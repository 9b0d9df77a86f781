import type { FastifyInstance } from 'fastify';
import type { TokenChecks } from '../auth/token-checks.js';
import type { Config } from '../config/config.js';
import { ContainerFollower } from '../diagnostics/container-follower.js';
import { Journal } from '../diagnostics/journal.js';
import type { LogRing } from '../diagnostics/log-ring.js';
import type { MetricsStore } from '../diagnostics/metrics-store.js';
import { NodeContainers } from '../diagnostics/node-containers.js';
import { NodeLogs } from '../diagnostics/node-logs.js';
import { addDiagnosticRoutes } from '../http/diagnostic-routes.js';
import { LogStreamUpgrades } from '../http/log-stream-upgrades.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';

const logFolder = '/var/log';

interface DiagnosticNeeds {
  /** Null in the standalone role. */
  readonly engine: DockerEngine | null;
  readonly config: Config;
  readonly tokens: TokenChecks;
  readonly events: EventStore;
  readonly metrics: MetricsStore;
  readonly ring: LogRing;
  readonly log: Log;
}

/** What tells of the node as a whole: routes, and the sockets that follow its logs. */
export function composeDiagnostics(app: FastifyInstance, needs: DiagnosticNeeds): LogStreamUpgrades {
  const { config, engine, ring } = needs;
  const { nodeId, stateDir, logs, diagnostics } = config;
  const containers = new NodeContainers(engine, nodeId);
  const { restartDelayMs } = logs.stream;
  const nodeLogs = new NodeLogs({
    ring,
    containers,
    follower: new ContainerFollower(containers, restartDelayMs),
    journal: new Journal({ timeoutMs: logs.readerTimeoutMs, restartDelayMs }),
    cloudInitFolder: logFolder,
  });
  addDiagnosticRoutes(app, {
    ...needs,
    nodeId,
    stateDir,
    containers,
    nodeLogs,
    logFolder,
    logLimits: logs,
    logLimit: diagnostics.packageLogLimit,
    packageTimeoutMs: diagnostics.packageTimeoutMs,
  });
  return new LogStreamUpgrades(logs, { ...needs, nodeLogs });
}
