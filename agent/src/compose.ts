import Docker from 'dockerode';
import type { FastifyInstance } from 'fastify';
import { progressIntervalSeconds } from '../../protocol/callbacks.js';
import { Agent } from './agent.js';
import { KeySet } from './auth/key-set.js';
import { TokenChecks } from './auth/token-checks.js';
import { type Config, statePaths } from './config/config.js';
import { redeemBootstrapToken } from './control-plane/bootstrap.js';
import { ControlPlane } from './control-plane/control-plane.js';
import { Heartbeats } from './control-plane/heartbeats.js';
import { NodeToken } from './control-plane/node-token.js';
import { TokenRenewal } from './control-plane/token-renewal.js';
import { WorkspaceCallbacks } from './control-plane/workspace-callbacks.js';
import type { LogRing } from './diagnostics/log-ring.js';
import { NodeContainers } from './diagnostics/node-containers.js';
import { EventStore } from './events/event-store.js';
import { CredentialServer } from './git/credential-server.js';
import { addDiagnosticRoutes } from './http/diagnostic-routes.js';
import { createServer } from './http/server.js';
import { TerminalUpgrades } from './http/terminal-upgrades.js';
import { addWorkspaceContentRoutes } from './http/workspace-content-routes.js';
import { addWorkspaceRoutes } from './http/workspace-routes.js';
import { addWorkspaceViewRoutes, type WorkspaceViews } from './http/workspace-view-routes.js';
import type { Log } from './log/log.js';
import { agentVersion } from './node/agent-version.js';
import { loadCertificate } from './node/certificate.js';
import { readNodeMetrics } from './node/node-metrics.js';
import { openDatabase } from './store/database.js';
import { WorkspaceStore } from './store/workspace-store.js';
import { TabStore } from './tabs/tab-store.js';
import { Terminals } from './terminals/terminals.js';
import { BootLog } from './workspaces/boot-log.js';
import type { WorkspaceRunner } from './workspaces/command.js';
import { ContainerRunner } from './workspaces/container/container-runner.js';
import { ContainerRuntime } from './workspaces/container/container-runtime.js';
import { ContainerShells } from './workspaces/container/container-shells.js';
import { DockerEngine } from './workspaces/container/docker-engine.js';
import { Provisioner } from './workspaces/provisioner.js';
import type { WorkspaceRuntime } from './workspaces/runtime.js';
import { StandaloneRunner } from './workspaces/standalone/standalone-runner.js';
import { StandaloneRuntime } from './workspaces/standalone/standalone-runtime.js';
import { takeStock } from './workspaces/take-stock.js';
import { WorkspaceSources } from './workspaces/workspace-sources.js';
import { Workspaces } from './workspaces/workspaces.js';

/** Builds the agent by hand, top to bottom; the only place that knows all its parts. */
export async function composeAgent(config: Config, log: Log, ring: LogRing): Promise<Agent> {
  const { nodeId, identity } = config;
  const paths = statePaths(config.stateDir);
  const own = { certPath: paths.certificate, keyPath: paths.certificateKey };
  const certificate = await loadCertificate({ tls: config.tls, own, nodeId });
  const now = () => new Date();
  const database = openDatabase(paths.database);
  const store = new WorkspaceStore(database, now);
  const recorded = { tabs: new TabStore(database, now), events: new EventStore(paths.events, nodeId, now) };
  const controlPlane = new ControlPlane(config.controlPlaneUrl);
  const token = new NodeToken(identity.callbackTokenFile, identity.callbackToken);
  const keys = new KeySet(`${config.controlPlaneUrl}/.well-known/jwks.json`, identity.keySetTimeoutMs, log);
  const tokens = new TokenChecks({ issuer: config.controlPlaneUrl, nodeId }, keys.find);
  const callbacks = composeCallbacks(controlPlane, identity);
  const work = composeWorkspaces(config, { store, ...recorded, callbacks, log });
  const { workspaces, terminals, provisioner } = work;
  const renewal = new TokenRenewal(
    { nodeId, ...identity.renewal },
    { store, callbacks, nodeToken: token, log, now: Date.now },
  );
  const heartbeats = new Heartbeats(
    { nodeId, intervalMs: identity.heartbeatIntervalMs, timeoutMs: identity.callbackTimeoutMs },
    {
      controlPlane,
      token,
      log,
      compose: async () => ({
        agentVersion,
        activeWorkspaces: workspaces.activeCount(),
        metrics: {
          version: 1,
          ...(await readNodeMetrics(config.stateDir)),
          creatingWorkspaces: provisioner.count,
          containers: [...(await work.runtime.measure().catch(() => []))],
        },
      }),
      afterwards: async () => {
        await Promise.all([provisioner.deliverPending(), renewal.run()]);
      },
    },
  );
  const { app, upgrades } = composeHttp(createServer(certificate, log), {
    ...work,
    ...recorded,
    config,
    tokens,
    ring,
    log,
  });
  return new Agent(config, {
    app,
    keys,
    heartbeats,
    certificatePem: certificate.certificatePem,
    log,
    takeStock: () => takeStock(workspaces, { ...work, store, events: recorded.events, log }),
    obtainToken: (signal) => obtainToken(config, { controlPlane, token, log }, signal),
    ending: [
      ['heartbeats', () => heartbeats[Symbol.asyncDispose]()],
      ['keys', () => keys[Symbol.asyncDispose]()],
      ['provisioning', () => provisioner[Symbol.asyncDispose]()],
      ['terminal sockets', () => upgrades[Symbol.asyncDispose]()],
      ['terminals', () => terminals[Symbol.asyncDispose]()],
      ['workspaces', () => work.runtime.shutdown()],
      ['boot log', () => work.bootLog[Symbol.asyncDispose]()],
      ['git credentials', () => work.credentials[Symbol.asyncDispose]()],
      ['state', async () => store[Symbol.dispose]()],
      ['events', async () => recorded.events[Symbol.dispose]()],
      ['server', () => app.close()],
    ],
  });
}

function composeCallbacks(controlPlane: ControlPlane, identity: Config['identity']): WorkspaceCallbacks {
  return new WorkspaceCallbacks(controlPlane, {
    callbackTimeoutMs: identity.callbackTimeoutMs,
    bootLogTimeoutMs: identity.bootLogTimeoutMs,
    renewalTimeoutMs: identity.renewal.timeoutMs,
  });
}

interface HttpNeeds extends WorkspaceViews {
  readonly runner: WorkspaceRunner;
  readonly config: Config;
  readonly ring: LogRing;
  readonly terminals: Terminals;
  readonly log: Log;
}

function composeHttp(app: FastifyInstance, needs: HttpNeeds) {
  const { config, tokens, workspaces, terminals, log } = needs;
  addWorkspaceRoutes(app, tokens, workspaces);
  addWorkspaceContentRoutes(app, needs);
  addWorkspaceViewRoutes(app, needs);
  const { nodeId, stateDir, logLimits } = config;
  const engine = config.role === 'standalone' ? null : new DockerEngine(new Docker());
  const containers = new NodeContainers(engine, nodeId);
  addDiagnosticRoutes(app, { ...needs, nodeId, stateDir, logLimits, containers });
  const upgrades = new TerminalUpgrades(tokens, workspaces, terminals, log);
  upgrades.serve(app.server);
  return { app, upgrades };
}

interface WorkspaceNeeds {
  readonly store: WorkspaceStore;
  readonly tabs: TabStore;
  readonly events: EventStore;
  readonly callbacks: WorkspaceCallbacks;
  readonly log: Log;
}

function composeWorkspaces(config: Config, { store, tabs, events, callbacks, log }: WorkspaceNeeds) {
  const credentials = new CredentialServer((workspaceId) => {
    const workspace = store.find(workspaceId);
    if (!workspace) throw new Error(`No workspace ${workspaceId}`);
    return callbacks.gitToken(workspace, AbortSignal.timeout(config.identity.callbackTimeoutMs));
  }, log);
  const paths = statePaths(config.stateDir);
  const sources = new WorkspaceSources(paths.run, credentials);
  const runtime = composeRuntime(config, sources, log);
  const runner = composeRunner(config, sources);
  const bootLog = new BootLog(callbacks, log);
  const { buildSlots, provisioningTimeoutMs: timeoutMs } = config.workspaces;
  const provisioner = new Provisioner(
    { buildSlots, timeoutMs, progressIntervalMs: progressIntervalSeconds * 1_000 },
    { runtime, store, bootLog, callbacks, events, log },
  );
  const terminals = new Terminals(
    (options) => runtime.openPty(workspaces.running(options.workspaceId), options),
    config.terminals,
    log,
    tabs,
  );
  const workspaces: Workspaces = new Workspaces({ store, runtime, provisioner, terminals, events, log });
  terminals.start();
  return { credentials, runtime, runner, bootLog, provisioner, terminals, workspaces };
}

function composeRunner(config: Config, sources: WorkspaceSources): WorkspaceRunner {
  if (config.role === 'standalone') return new StandaloneRunner(config.workspaces.baseDir, sources);
  return new ContainerRunner(new DockerEngine(new Docker()));
}

function composeRuntime(config: Config, sources: WorkspaceSources, log: Log): WorkspaceRuntime {
  const { nodeId } = config;
  const { baseDir, cloneFilter, defaultImage, network } = config.workspaces;
  if (config.role === 'standalone') return new StandaloneRuntime({ nodeId, baseDir, cloneFilter }, sources);
  const engine = new DockerEngine(new Docker());
  const shells = new ContainerShells(engine, (error) => log.warn('Container shell', { error }));
  const { clones: clonesDir } = statePaths(config.stateDir);
  return new ContainerRuntime({ nodeId, defaultImage, network, clonesDir }, engine, shells, sources);
}

interface IdentityParts {
  readonly controlPlane: ControlPlane;
  readonly token: NodeToken;
  readonly log: Log;
}

async function obtainToken(config: Config, parts: IdentityParts, signal: AbortSignal): Promise<void> {
  const { controlPlane, token, log } = parts;
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
    log,
  });
  await token.replace(callbackToken);
  log.info('Bootstrap token redeemed');
}
