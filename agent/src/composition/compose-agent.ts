import type { AddressCertificate } from '../acme/address-certificate.js';
import { Agent, type ShutdownStep } from '../agent.js';
import type { SuspendedEnding } from '../agent-sessions/session-endings.js';
import { type Config, statePaths } from '../config/config.js';
import type { Heartbeats } from '../control-plane/heartbeats.js';
import type { LogRing } from '../diagnostics/log-ring.js';
import { loadCertificate } from '../node/certificate.js';
import { Ports } from '../ports/ports.js';
import type { PressureSource } from '../pressure/pressure.js';
import { Previews } from '../previews/previews.js';
import type { Log } from '../shared/log.js';
import type { WorkspaceAgents, WorkspaceEvictions } from '../workspaces/workspaces-deps.js';
import { type AgentServices, composeAgents } from './agents.js';
import { composeCertificate } from './certificate.js';
import { composeDiagnostics } from './diagnostics.js';
import { composeEvictions, type EvictionServices, type EvictionSources } from './evictions.js';
import { composeAuth, composeFoundation, type Foundation } from './foundation.js';
import { composeHeartbeats, obtainNodeToken } from './heartbeats.js';
import { type AgentServer, composeServer, type ServedServices } from './server.js';
import { composeWorkspaceContent, composeWorkspaces, type WorkspaceServices } from './workspaces.js';

/**
 * Builds every subsystem once, in the order of their dependencies.
 * @param pressure instead of what the node observes
 */
export async function composeAgent(
  config: Config,
  log: Log,
  { ring, pressure }: { readonly ring: LogRing; readonly pressure?: PressureSource },
): Promise<Agent> {
  const certificate = await loadNodeCertificate(config);
  const foundation = await composeFoundation(config, log);
  const auth = composeAuth(foundation);
  const endings = sessionEndings(() => agents);
  const workspaces: WorkspaceServices = composeWorkspaces(foundation, {
    agents: workspaceAgents(endings, { agents: () => agents, workspaces: () => workspaces }),
    evictions: workspaceEvictions(() => evictions),
  });
  const ports = composePorts(foundation, workspaces);
  const content = composeWorkspaceContent(foundation, workspaces, ports.processes);
  const agents: AgentServices = composeAgents(foundation, workspaces, content);
  const evictions: EvictionServices | null = evictionsOf(foundation, { workspaces, agents, endings });
  const previews = composePreviews(config, { auth, ports, workspaces });
  const diagnostics = composeDiagnostics(foundation, workspaces, ring);
  const served = { foundation, certificate, auth, workspaces, content, agents, ports, previews, diagnostics };
  const source = pressure ?? diagnostics.guard;
  if (source) evictions?.controller.start(source);
  const server = composeServer(served);
  const addressCertificate = composeCertificate(foundation, server.server);
  const heartbeats = composeHeartbeats(foundation, workspaces, {
    sessions: agents.sessions,
    evictions,
    certificate: addressCertificate,
  });
  addressCertificate?.start();
  diagnostics.start();
  ports.scanner.start();
  return new Agent(config, {
    ...server,
    keys: auth.keys,
    heartbeats,
    certificatePem: certificate.certificatePem,
    log,
    reconcileOnStart: () => reconcileOnStart(served, evictions),
    obtainToken: (signal) => obtainNodeToken(foundation, signal),
    shutdownSteps: shutdownSteps(served, { server, heartbeats, evictions, addressCertificate }),
  });
}

async function reconcileOnStart(
  { agents, workspaces }: ServedServices,
  evictions: EvictionServices | null,
): Promise<void> {
  await agents.start();
  await evictions?.salvages.start();
  await workspaces.reconcileOnStart();
  agents.snapshots.resume();
}

interface LaterServices {
  readonly agents: () => AgentServices;
  readonly workspaces: () => WorkspaceServices;
}

function workspaceAgents(
  endings: ReturnType<typeof sessionEndings>,
  { agents, workspaces }: LaterServices,
): WorkspaceAgents {
  return {
    ...endings,
    resumeWorkspace: (workspaceId) => agents().sessions.sessions.resumeWorkspace(workspaceId),
    removeWorkspace: (workspaceId) => {
      workspaces().shellVariables.forget(workspaceId);
      return agents().removeWorkspace(workspaceId);
    },
  };
}

function workspaceEvictions(services: () => EvictionServices | null): WorkspaceEvictions {
  return {
    salvage: async (workspace) => (await services()?.salvages.take(workspace)) ?? false,
    reconcile: async (workspaceId) => services()?.stops.reconcile(workspaceId),
  };
}

/** Null in the standalone role. */
function evictionsOf(
  foundation: Foundation,
  sources: Omit<EvictionSources, 'engine'>,
): EvictionServices | null {
  const { engine } = foundation;
  return engine && composeEvictions(foundation, { ...sources, engine });
}

/** A restore ends when its agent ends, and must not begin another. The history then has all. */
function sessionEndings(agents: () => AgentServices) {
  const end = async (workspaceId: string, endSessions: Promise<void>) => {
    const { snapshots, resourceHistory } = agents();
    await Promise.all([snapshots.operations.end(workspaceId), endSessions]);
    await resourceHistory.end(workspaceId);
  };
  const sessions = () => agents().sessions.sessions;
  return {
    stopWorkspace: (workspaceId: string) => end(workspaceId, sessions().stopWorkspace(workspaceId)),
    suspendWorkspace: (workspaceId: string, ending?: SuspendedEnding) =>
      end(workspaceId, sessions().suspendWorkspace(workspaceId, ending)),
  };
}

function loadNodeCertificate({ nodeId, stateDir, tls }: Config) {
  const paths = statePaths(stateDir);
  return loadCertificate({
    tls,
    own: { certPath: paths.certificate, keyPath: paths.certificateKey },
    nodeId,
  });
}

function composePorts(
  { config, engine, storage, log }: Foundation,
  workspaces: ServedServices['workspaces'],
) {
  return new Ports(config, { engine, workspaces: workspaces.workspaces, events: storage.events, log });
}

function composePreviews(
  config: Config,
  { auth, ports, workspaces }: Pick<ServedServices, 'auth' | 'ports' | 'workspaces'>,
): Previews {
  return new Previews(config, { sockets: ports.sockets, ends: auth.sessionEnds, use: workspaces.use });
}

interface Callers {
  readonly server: AgentServer;
  readonly heartbeats: Heartbeats;
  readonly evictions: EvictionServices | null;
  readonly addressCertificate: AddressCertificate | null;
}

/** A service ends before the services that it calls. */
function shutdownSteps(
  served: ServedServices,
  { server, heartbeats, evictions, addressCertificate }: Callers,
): readonly ShutdownStep[] {
  const { foundation, auth, workspaces, agents, ports, previews, diagnostics } = served;
  const { conversations, deliveries, projectHeartbeats } = agents.conversations;
  const { storage } = foundation;
  return [
    disposal('heartbeats', heartbeats),
    ...(addressCertificate ? [disposal('certificate', addressCertificate)] : []),
    disposal('keys', auth.keys),
    disposal('quarantine', workspaces.quarantine),
    disposal('provisioning', workspaces.provisioner),
    disposal('sockets', server.router),
    disposal('project heartbeats', projectHeartbeats),
    ['evictions', () => endEvictions(evictions, agents)],
    disposal('snapshots', agents.snapshots.operations),
    disposal('agent sessions', agents.sessions.sessions),
    disposal('interactions', agents.interactionReports),
    disposal('conversations', conversations),
    disposal('resource history', agents.resourceHistory),
    disposal('messages', deliveries),
    ...(diagnostics.guard ? [disposal('resource guard', diagnostics.guard)] : []),
    disposal('terminals', workspaces.terminals),
    ['workspaces', () => workspaces.runtime.shutdown()],
    disposal('previews', previews),
    disposal('ports', ports),
    disposal('boot log', workspaces.bootLog),
    disposal('git credentials', workspaces.credentials),
    ['server', () => server.connections.endWith(() => server.app.close())],
    ['state', async () => storage.workspaces[Symbol.dispose]()],
    ['events', async () => storage.events[Symbol.dispose]()],
    disposal('metrics', diagnostics.sampler),
  ];
}

/** The captures of evictions end first, so that none waits for its deadline. */
async function endEvictions(services: EvictionServices | null, { snapshots }: AgentServices): Promise<void> {
  if (!services) return;
  const ended = services.salvages[Symbol.asyncDispose]();
  await snapshots.operations[Symbol.asyncDispose]();
  await Promise.all([ended, services.controller[Symbol.asyncDispose]()]);
}

function disposal(name: string, subsystem: AsyncDisposable): ShutdownStep {
  return [name, async () => subsystem[Symbol.asyncDispose]()];
}
