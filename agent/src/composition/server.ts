import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import { SessionSockets } from '../auth/session-sockets.js';
import { addAgentSessionRoutes } from '../http/agent-session-routes.js';
import { AgentUpgrades } from '../http/agent-upgrades.js';
import { originRule } from '../http/allowed-origins.js';
import { addCors } from '../http/cors.js';
import { addDiagnosticRoutes } from '../http/diagnostic-routes.js';
import { addFileRoutes } from '../http/file-routes.js';
import { addGitRoutes } from '../http/git-routes.js';
import { addLocalForwardRoutes } from '../http/local-forward-routes.js';
import { LogStreamUpgrades } from '../http/log-stream-upgrades.js';
import { OpenConnections } from '../http/open-connections.js';
import { addPortRoutes } from '../http/port-routes.js';
import { addPreviewRoutes } from '../http/preview-routes.js';
import { createServer } from '../http/server.js';
import { addSessionRoutes } from '../http/session-routes.js';
import { TerminalUpgrades } from '../http/terminal-upgrades.js';
import { Upgrades } from '../http/upgrades.js';
import { addWorkspaceRoutes } from '../http/workspace-routes.js';
import { addWorkspaceViewRoutes } from '../http/workspace-view-routes.js';
import type { NodeCertificate } from '../node/certificate.js';
import type { Ports } from '../ports/ports.js';
import type { Previews } from '../previews/previews.js';
import type { AgentServices } from './agents.js';
import type { AuthServices } from './auth.js';
import type { DiagnosticServices } from './diagnostics.js';
import type { Foundation } from './foundation.js';
import type { WorkspaceContent } from './workspace-content.js';
import type { WorkspaceServices } from './workspaces.js';

/** Everything that routes and sockets are served from. */
export interface ServedServices {
  readonly foundation: Foundation;
  readonly certificate: NodeCertificate;
  readonly auth: AuthServices;
  readonly workspaces: WorkspaceServices;
  readonly content: WorkspaceContent;
  readonly agents: AgentServices;
  readonly ports: Ports;
  readonly previews: Previews;
  readonly diagnostics: DiagnosticServices;
}

export interface AgentServer {
  readonly app: FastifyInstance;
  readonly upgrades: Upgrades;
  readonly connections: OpenConnections;
  readonly sockets: readonly AsyncDisposable[];
}

/** The HTTPS server with all routes and sockets. */
export function composeServer(served: ServedServices): AgentServer {
  const { foundation, certificate } = served;
  const { config, log } = foundation;
  const app = createServer(certificate, config.http, log);
  const upgrades = new Upgrades(log);
  addCors(app, originRule(config.http.allowedOrigins, config.controlPlaneUrl));
  addRoutes(app, served);
  addForwardedRoutes(app, upgrades, served);
  const sockets = addSockets(upgrades, served);
  // The generic of the server's type is lost; it is made with TLS always.
  return { app, upgrades, connections: new OpenConnections(app.server as Server), sockets };
}

function addRoutes(app: FastifyInstance, served: ServedServices): void {
  const { foundation, auth, content, agents, ports, diagnostics } = served;
  const { config, storage } = foundation;
  const { tokens, sessionEnds } = auth;
  const { workspaces, worktrees } = served.workspaces;
  const admission = { tokens, workspaces };
  addSessionRoutes(app, tokens, sessionEnds);
  addWorkspaceRoutes(app, tokens, workspaces);
  addWorkspaceViewRoutes(app, { ...admission, events: storage.events, tabs: storage.tabs });
  addAgentSessionRoutes(app, {
    ...admission,
    ...agents.sessions,
    hibernation: agents.hibernation,
    rolloverLimits: config.agentSessions.rollover,
  });
  addFileRoutes(app, { ...admission, ...content, worktrees });
  addGitRoutes(app, { ...admission, git: content.git, worktrees });
  addPortRoutes(app, { ...admission, scanner: ports.scanner });
  const { sources, nodeLogs } = diagnostics;
  addDiagnosticRoutes(app, { ...sources, tokens, nodeLogs, logLimits: config.logs });
}

function addForwardedRoutes(app: FastifyInstance, upgrades: Upgrades, served: ServedServices): void {
  const { tokens } = served.auth;
  const { workspaces } = served.workspaces;
  const { sessions, credentials, forwarder } = served.previews;
  const { publicScheme } = served.foundation.config.ports;
  addPreviewRoutes(app, upgrades, { tokens, workspaces, sessions, credentials, forwarder, publicScheme });
  addLocalForwardRoutes(app, upgrades, { tokens, workspaces, forwarder });
}

function addSockets(upgrades: Upgrades, served: ServedServices): readonly AsyncDisposable[] {
  const { config, log } = served.foundation;
  const { tokens, sessionEnds } = served.auth;
  const { workspaces, terminals } = served.workspaces;
  const { sessions } = served.agents.sessions;
  const { conversations } = served.agents.conversations;
  const sessionSockets = new SessionSockets(sessionEnds);
  const admission = { tokens, workspaces, sessionSockets, log };
  const sockets = [
    new TerminalUpgrades({ ...admission, terminals }),
    new LogStreamUpgrades(config.logs, { tokens, nodeLogs: served.diagnostics.nodeLogs, log }),
    new AgentUpgrades({ ...admission, sessions, conversations, times: config.conversations.viewers }),
  ];
  for (const socket of sockets) socket.addTo(upgrades);
  return sockets;
}
