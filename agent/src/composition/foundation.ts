import type { Config } from '../config/config.js';
import { statePaths } from '../config/config.js';
import { ControlPlane } from '../control-plane/control-plane.js';
import { NodeToken } from '../control-plane/node-token.js';
import { WorkspaceCallbacks } from '../control-plane/workspace-callbacks.js';
import { MetricsStore } from '../diagnostics/metrics-store.js';
import { BootDiagnostics } from '../node/boot-diagnostics.js';
import type { Log } from '../shared/log.js';
import { openDatabase } from '../store/database.js';
import { EventStore } from '../store/event-store.js';
import { TabStore } from '../store/tab-store.js';
import { WorkspaceStore } from '../store/workspace-store.js';
import { DockerEngine } from '../workspaces/container/docker-engine.js';

/** Services that all other services may use. */
export interface Foundation {
  readonly config: Config;
  /** Null in the standalone role. */
  readonly engine: DockerEngine | null;
  readonly storage: Storage;
  readonly controlPlane: ControlPlaneAccess;
  readonly log: Log;
}

export interface Storage {
  readonly database: ReturnType<typeof openDatabase>;
  readonly workspaces: WorkspaceStore;
  readonly tabs: TabStore;
  readonly events: EventStore;
  readonly metrics: MetricsStore;
}

export interface ControlPlaneAccess {
  readonly client: ControlPlane;
  readonly nodeToken: NodeToken;
  readonly callbacks: WorkspaceCallbacks;
  readonly bootDiagnostics: BootDiagnostics;
}

export async function composeFoundation(config: Config, log: Log): Promise<Foundation> {
  return {
    config,
    engine: config.role === 'standalone' ? null : await DockerEngine.open(),
    storage: composeStorage(config, log),
    controlPlane: composeControlPlane(config),
    log,
  };
}

function composeStorage({ nodeId, stateDir }: Config, log: Log): Storage {
  const paths = statePaths(stateDir);
  const now = () => new Date();
  const database = openDatabase(paths.database);
  return {
    database,
    workspaces: new WorkspaceStore(database, now),
    tabs: new TabStore(database, now),
    events: new EventStore(paths.events, { nodeId, now, log }),
    metrics: new MetricsStore(paths.metrics),
  };
}

function composeControlPlane({ callbackUrl, identity }: Config): ControlPlaneAccess {
  const client = new ControlPlane(callbackUrl);
  const callbacks = new WorkspaceCallbacks(client, {
    callbackTimeoutMs: identity.callbackTimeoutMs,
    bootLogTimeoutMs: identity.bootLogTimeoutMs,
    renewalTimeoutMs: identity.renewal.timeoutMs,
  });
  return {
    client,
    nodeToken: new NodeToken(identity.callbackTokenFile, identity.callbackToken),
    callbacks,
    bootDiagnostics: new BootDiagnostics(client.clock),
  };
}
