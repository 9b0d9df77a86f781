import { KeySet } from '../auth/key-set.js';
import { SessionEnds } from '../auth/session-ends.js';
import { TokenChecks } from '../auth/token-checks.js';
import { UsedTokens } from '../auth/used-tokens.js';
import { type Config, statePaths } from '../config/config.js';
import { ControlPlane } from '../control-plane/control-plane.js';
import { NodeToken } from '../control-plane/node-token.js';
import { WorkspaceCallbacks } from '../control-plane/workspace-callbacks.js';
import { MetricsStore } from '../diagnostics/metrics-store.js';
import { AllowedOrigins } from '../http/allowed-origins.js';
import { BootDiagnostics } from '../node/boot-diagnostics.js';
import type { Log } from '../shared/log.js';
import { openDatabase } from '../store/database.js';
import { EventStore } from '../store/event-store.js';
import { KeptAnswers } from '../store/kept-answers.js';
import { QuarantineStore } from '../store/quarantine-store.js';
import { setAsideDamaged } from '../store/set-aside-damaged.js';
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
  /** Their pages may read responses; a heartbeat can add one. */
  readonly origins: AllowedOrigins;
  readonly log: Log;
}

interface Storage {
  readonly database: ReturnType<typeof openDatabase>;
  readonly workspaces: WorkspaceStore;
  readonly quarantine: QuarantineStore;
  readonly keptAnswers: KeptAnswers;
  readonly tabs: TabStore;
  readonly events: EventStore;
  readonly metrics: MetricsStore;
}

interface ControlPlaneAccess {
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
    origins: new AllowedOrigins(config.http.allowedOrigins, config.controlPlaneUrl),
    log,
  };
}

function composeStorage({ nodeId, stateDir }: Config, log: Log): Storage {
  const paths = statePaths(stateDir);
  const now = () => new Date();
  const damaged = [paths.database, paths.events, paths.metrics].map((path) => setAsideDamaged(path, now()));
  const database = openDatabase(paths.database);
  const events = new EventStore(paths.events, { nodeId, now, log });
  for (const kept of damaged) if (kept !== null) reportDamage(kept, { events, log });
  return {
    database,
    workspaces: new WorkspaceStore(database, now),
    quarantine: new QuarantineStore(database, now),
    keptAnswers: new KeptAnswers(database),
    tabs: new TabStore(database, now),
    events,
    metrics: new MetricsStore(paths.metrics),
  };
}

function reportDamage(kept: string, { events, log }: { readonly events: EventStore; readonly log: Log }) {
  const message = `A database of the agent is damaged. The agent continues with an empty one and keeps the damaged file as ${kept}`;
  log.error(message);
  events.add({ workspaceId: null, level: 'error', type: 'node.database_damaged', message });
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

export interface AuthServices {
  readonly keys: KeySet;
  readonly sessionEnds: SessionEnds;
  readonly tokens: TokenChecks;
  readonly usedTokens: UsedTokens;
}

export function composeAuth({ config, storage, controlPlane, log }: Foundation): AuthServices {
  const { nodeId, issuer, identity } = config;
  const keys = new KeySet(`${issuer}/.well-known/jwks.json`, identity.keySetTimeoutMs, log);
  const sessionEnds = new SessionEnds(storage.database, () => new Date());
  const now = controlPlane.client.clock.now;
  const usedTokens = new UsedTokens(storage.database);
  return {
    keys,
    sessionEnds,
    usedTokens,
    tokens: new TokenChecks({ issuer, nodeId, now }, keys, sessionEnds),
  };
}
