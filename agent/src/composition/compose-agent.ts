import { Agent, type AgentParts } from '../agent.js';
import { KeySet } from '../auth/key-set.js';
import { SessionEnds } from '../auth/session-ends.js';
import { TokenChecks } from '../auth/token-checks.js';
import { type Config, statePaths } from '../config/config.js';
import { redeemBootstrapToken } from '../control-plane/bootstrap.js';
import { ControlPlane } from '../control-plane/control-plane.js';
import { Heartbeats } from '../control-plane/heartbeats.js';
import { NodeToken } from '../control-plane/node-token.js';
import { TokenRenewal } from '../control-plane/token-renewal.js';
import { WorkspaceCallbacks } from '../control-plane/workspace-callbacks.js';
import type { LogRing } from '../diagnostics/log-ring.js';
import { MetricsSampler } from '../diagnostics/metrics-sampler.js';
import { MetricsStore } from '../diagnostics/metrics-store.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import { createServer } from '../http/server.js';
import { agentVersion } from '../node/agent-version.js';
import { BootDiagnostics } from '../node/boot-diagnostics.js';
import { loadCertificate } from '../node/certificate.js';
import { readNodeMetrics } from '../node/node-metrics.js';
import type { Log } from '../shared/log.js';
import { openDatabase } from '../store/database.js';
import { EventStore } from '../store/event-store.js';
import { TabStore } from '../store/tab-store.js';
import { WorkspaceStore } from '../store/workspace-store.js';
import { DockerEngine } from '../workspaces/container/docker-engine.js';
import type { Provisioner } from '../workspaces/provisioner.js';
import { reconcileOnStart } from '../workspaces/reconcile-on-start.js';
import type { WorkspaceRuntime } from '../workspaces/runtime.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { composeAgents } from './compose-agents.js';
import { composeHttp } from './server.js';
import { composeWorkspaces } from './workspaces.js';

/** Builds the agent by hand, top to bottom; the only place that knows all its parts. */
export async function composeAgent(config: Config, log: Log, ring: LogRing): Promise<Agent> {
  const { nodeId, identity } = config;
  const paths = statePaths(config.stateDir);
  const certificate = await loadCertificate({
    tls: config.tls,
    nodeId,
    own: { certPath: paths.certificate, keyPath: paths.certificateKey },
  });
  const now = () => new Date();
  const database = openDatabase(paths.database);
  const store = new WorkspaceStore(database, now);
  const shared = {
    store,
    tabs: new TabStore(database, now),
    events: new EventStore(paths.events, { nodeId, now, log }),
    engine: config.role === 'standalone' ? null : await DockerEngine.open(),
    log,
  };
  const controlPlane = new ControlPlane(config.callbackUrl);
  const bootDiagnostics = new BootDiagnostics(controlPlane.clock);
  const token = new NodeToken(identity.callbackTokenFile, identity.callbackToken);
  const keys = new KeySet(`${config.controlPlaneUrl}/.well-known/jwks.json`, identity.keySetTimeoutMs, log);
  const ends = new SessionEnds(database, now);
  const check = { issuer: config.controlPlaneUrl, nodeId, now: controlPlane.clock.now };
  const tokens = new TokenChecks(check, keys, ends);
  const callbacks = composeCallbacks(controlPlane, identity);
  const work = composeWorkspaces(config, {
    ...shared,
    callbacks,
    bootDiagnostics,
    agents: {
      closeWorkspace: (workspaceId) => agents.sessions.closeWorkspace(workspaceId),
      removeWorkspace: (workspaceId) => agents.removeWorkspace(workspaceId),
    },
  });
  const agents = composeAgents(config, { ...work, ...shared, database, controlPlane, token });
  const heartbeats = composeHeartbeats(config, {
    ...work,
    ...shared,
    callbacks,
    controlPlane,
    token,
    bootDiagnostics,
  });
  const metrics = composeMetrics(config, log);
  const http = composeHttp(createServer(certificate, config.http, log), {
    ...work,
    ...agents,
    ...metrics,
    ...shared,
    config,
    tokens,
    ends,
    ring,
  });
  metrics.sampler.start();
  return new Agent(config, {
    ...http,
    keys,
    heartbeats,
    certificatePem: certificate.certificatePem,
    log,
    reconcileOnStart: async () => {
      await agents.start();
      await reconcileOnStart(work.workspaces, { ...work, ...shared });
    },
    obtainToken: (signal) => obtainToken(config, { controlPlane, token, bootDiagnostics, log }, signal),
    ending: endingOf({ ...work, ...agents, ...shared, ...http, ...metrics, heartbeats, keys }),
  });
}

type Parts = ReturnType<typeof composeWorkspaces> &
  ReturnType<typeof composeAgents> &
  ReturnType<typeof composeHttp> & {
    readonly sampler: MetricsSampler;
    readonly heartbeats: Heartbeats;
    readonly keys: KeySet;
    readonly store: WorkspaceStore;
    readonly events: EventStore;
  };

/** In the order in which things end: first who asks and tells, last what is asked and told. */
function endingOf(parts: Parts): AgentParts['ending'] {
  const { keys, heartbeats, provisioner, terminalSockets, agentSockets, logStreams, terminals } = parts;
  const { runtime, previews, ports, bootLog, credentials, connections, app, store, events, sampler } = parts;
  return [
    ['heartbeats', () => heartbeats[Symbol.asyncDispose]()],
    ['keys', () => keys[Symbol.asyncDispose]()],
    ['provisioning', () => provisioner[Symbol.asyncDispose]()],
    ['terminal sockets', () => terminalSockets[Symbol.asyncDispose]()],
    ['log streams', () => logStreams[Symbol.asyncDispose]()],
    ['agent sockets', () => agentSockets[Symbol.asyncDispose]()],
    ...parts.ending,
    ['terminals', () => terminals[Symbol.asyncDispose]()],
    ['workspaces', () => runtime.shutdown()],
    ['previews', () => previews[Symbol.asyncDispose]()],
    ['ports', () => ports[Symbol.asyncDispose]()],
    ['boot log', () => bootLog[Symbol.asyncDispose]()],
    ['git credentials', () => credentials[Symbol.asyncDispose]()],
    ['server', () => connections.endWith(() => app.close())],
    ['state', async () => store[Symbol.dispose]()],
    ['events', async () => events[Symbol.dispose]()],
    ['metrics', () => sampler[Symbol.asyncDispose]()],
  ];
}

function composeMetrics({ stateDir, diagnostics }: Config, log: Log) {
  const metrics = new MetricsStore(statePaths(stateDir).metrics);
  const options = { intervalMs: diagnostics.metricsIntervalMs, diskPath: stateDir };
  return { metrics, sampler: new MetricsSampler(options, metrics, log) };
}

interface HeartbeatNeeds {
  readonly controlPlane: ControlPlane;
  readonly token: NodeToken;
  readonly bootDiagnostics: BootDiagnostics;
  readonly store: WorkspaceStore;
  readonly callbacks: WorkspaceCallbacks;
  readonly workspaces: Workspaces;
  readonly provisioner: Provisioner;
  readonly runtime: WorkspaceRuntime;
  readonly log: Log;
}

function composeHeartbeats({ nodeId, identity, stateDir }: Config, needs: HeartbeatNeeds): Heartbeats {
  const { store, callbacks } = needs;
  const { controlPlane, token, bootDiagnostics, workspaces, provisioner, runtime, log } = needs;
  const now = () => controlPlane.clock.now().getTime();
  const renewal = new TokenRenewal(
    { nodeId, ...identity.renewal },
    { store, callbacks, nodeToken: token, log, now },
  );
  return new Heartbeats(
    { nodeId, intervalMs: identity.heartbeatIntervalMs, timeoutMs: identity.callbackTimeoutMs },
    {
      controlPlane,
      token,
      bootDiagnostics,
      log,
      compose: async () => ({
        agentVersion,
        activeWorkspaces: workspaces.activeCount(),
        metrics: {
          version: 1,
          ...(await readNodeMetrics(stateDir)),
          creatingWorkspaces: provisioner.count,
          containers: [...(await runtime.measure().catch(() => []))],
        },
      }),
      onReady: () => writeFileAtomic(statePaths(stateDir).ready, `${new Date().toISOString()}\n`),
      afterwards: async () => {
        await Promise.all([provisioner.deliverPending(), renewal.run()]);
      },
    },
  );
}

function composeCallbacks(controlPlane: ControlPlane, identity: Config['identity']): WorkspaceCallbacks {
  return new WorkspaceCallbacks(controlPlane, {
    callbackTimeoutMs: identity.callbackTimeoutMs,
    bootLogTimeoutMs: identity.bootLogTimeoutMs,
    renewalTimeoutMs: identity.renewal.timeoutMs,
  });
}

interface IdentityParts {
  readonly controlPlane: ControlPlane;
  readonly token: NodeToken;
  readonly bootDiagnostics: BootDiagnostics;
  readonly log: Log;
}

async function obtainToken(config: Config, parts: IdentityParts, signal: AbortSignal): Promise<void> {
  const { controlPlane, token, bootDiagnostics, log } = parts;
  const { bootstrapToken, callbackTimeoutMs } = config.identity;
  if (await token.load(new Date())) return;
  if (bootstrapToken === null)
    throw new Error('There is neither a valid callback token nor a BOOTSTRAP_TOKEN');
  const callbackToken = await redeemBootstrapToken(controlPlane, {
    nodeId: config.nodeId,
    token: bootstrapToken,
    redemptionFile: statePaths(config.stateDir).redemption,
    timeoutMs: callbackTimeoutMs,
    signal,
    bootDiagnostics,
    log,
  });
  await token.replace(callbackToken);
  log.info('Bootstrap token redeemed');
}
