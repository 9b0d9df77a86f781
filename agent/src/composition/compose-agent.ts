import { Agent, type ShutdownStep } from '../agent.js';
import { type Config, statePaths } from '../config/config.js';
import type { Heartbeats } from '../control-plane/heartbeats.js';
import type { LogRing } from '../diagnostics/log-ring.js';
import { loadCertificate } from '../node/certificate.js';
import { Ports } from '../ports/ports.js';
import { Previews } from '../previews/previews.js';
import type { Log } from '../shared/log.js';
import { type AgentServices, composeAgents } from './agents.js';
import { composeDiagnostics } from './diagnostics.js';
import { composeAuth, composeFoundation, type Foundation } from './foundation.js';
import { composeHeartbeats, obtainNodeToken } from './heartbeats.js';
import { type AgentServer, composeServer, type ServedServices } from './server.js';
import { composeWorkspaceContent, composeWorkspaces, type WorkspaceServices } from './workspaces.js';

/** Builds every subsystem once, in the order of their dependencies. */
export async function composeAgent(config: Config, log: Log, ring: LogRing): Promise<Agent> {
  const certificate = await loadNodeCertificate(config);
  const foundation = await composeFoundation(config, log);
  const auth = composeAuth(foundation);
  const workspaces: WorkspaceServices = composeWorkspaces(foundation, {
    ...sessionEndings(() => agents),
    resumeWorkspace: (workspaceId) => agents.sessions.sessions.resumeWorkspace(workspaceId),
    removeWorkspace: (workspaceId) => {
      workspaces.shellVariables.forget(workspaceId);
      return agents.removeWorkspace(workspaceId);
    },
  });
  const ports = composePorts(foundation, workspaces);
  const content = composeWorkspaceContent(foundation, workspaces, ports.processes);
  const agents: AgentServices = composeAgents(foundation, workspaces, content);
  const previews = composePreviews(config, { auth, ports, workspaces });
  const diagnostics = composeDiagnostics(foundation, workspaces, ring);
  const served = {
    foundation,
    certificate,
    auth,
    workspaces,
    content,
    agents,
    ports,
    previews,
    diagnostics,
  };
  const server = composeServer(served);
  const heartbeats = composeHeartbeats(foundation, workspaces, agents);
  // The eviction controller attaches here, before the start: `diagnostics.guard` is its source.
  diagnostics.start();
  ports.scanner.start();
  return new Agent(config, {
    ...server,
    keys: auth.keys,
    heartbeats,
    certificatePem: certificate.certificatePem,
    log,
    reconcileOnStart: async () => {
      await agents.start();
      await workspaces.reconcileOnStart();
      agents.snapshots.resume();
    },
    obtainToken: (signal) => obtainNodeToken(foundation, signal),
    shutdownSteps: shutdownSteps(served, { server, heartbeats }),
  });
}

/** A restore ends when its agent ends, and must not begin another. The history then has all. */
function sessionEndings(agents: () => AgentServices) {
  const end = async (workspaceId: string, how: 'stopWorkspace' | 'suspendWorkspace') => {
    const { sessions, snapshots, resourceHistory } = agents();
    await Promise.all([snapshots.operations.end(workspaceId), sessions.sessions[how](workspaceId)]);
    await resourceHistory.end(workspaceId);
  };
  return {
    stopWorkspace: (workspaceId: string) => end(workspaceId, 'stopWorkspace'),
    suspendWorkspace: (workspaceId: string) => end(workspaceId, 'suspendWorkspace'),
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
}

/** A service ends before the services that it calls. */
function shutdownSteps(served: ServedServices, { server, heartbeats }: Callers): readonly ShutdownStep[] {
  const { foundation, auth, workspaces, agents, ports, previews, diagnostics } = served;
  const { conversations, deliveries, projectHeartbeats } = agents.conversations;
  const { storage } = foundation;
  return [
    disposal('heartbeats', heartbeats),
    disposal('keys', auth.keys),
    disposal('quarantine', workspaces.quarantine),
    disposal('provisioning', workspaces.provisioner),
    disposal('sockets', server.router),
    disposal('project heartbeats', projectHeartbeats),
    disposal('snapshots', agents.snapshots.operations),
    disposal('agent sessions', agents.sessions.sessions),
    disposal('interactions', agents.interactionReports),
    disposal('conversations', conversations),
    disposal('resource history', agents.resourceHistory),
    disposal('messages', deliveries),
    // The eviction controller ends here, before its source.
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

function disposal(name: string, subsystem: AsyncDisposable): ShutdownStep {
  return [name, async () => subsystem[Symbol.asyncDispose]()];
}
