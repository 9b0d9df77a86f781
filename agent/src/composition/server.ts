import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import { SessionSockets } from '../auth/session-sockets.js';
import { addAgentSessionRoutes, addAgentSocket } from '../http/agent-session-routes.js';
import { addCors } from '../http/cors.js';
import { addDiagnosticRoutes, addLogRoutes } from '../http/diagnostic-routes.js';
import { addFileRoutes } from '../http/file-routes.js';
import { addGitRoutes } from '../http/git-routes.js';
import { addLocalForwardRoutes } from '../http/local-forward-routes.js';
import { addNodeRoutes } from '../http/node-routes.js';
import { OpenConnections } from '../http/open-connections.js';
import { addPortRoutes, addPreviewRoutes } from '../http/preview-routes.js';
import { refuseOtherMethods } from '../http/refuse-other-methods.js';
import { Router } from '../http/router.js';
import { createServer } from '../http/server.js';
import { addTerminalSockets } from '../http/terminal-sockets.js';
import { Upgrades } from '../http/upgrades.js';
import { addWorkspaceRoutes } from '../http/workspace-routes.js';
import type { NodeCertificate } from '../node/certificate.js';
import type { Ports } from '../ports/ports.js';
import type { Previews } from '../previews/previews.js';
import type { AgentServices } from './agents.js';
import type { DiagnosticServices } from './diagnostics.js';
import type { AuthServices, Foundation } from './foundation.js';
import type { WorkspaceContent, WorkspaceServices } from './workspaces.js';

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
  readonly server: Server;
  readonly upgrades: Upgrades;
  readonly router: Router;
  readonly connections: OpenConnections;
}

/** The HTTPS server with all routes and sockets. */
export function composeServer(served: ServedServices): AgentServer {
  const { foundation, certificate, auth, workspaces } = served;
  const { config, origins, log } = foundation;
  const app = createServer({ nodeId: config.nodeId, certificate }, config.http, log);
  const upgrades = new Upgrades(log);
  addCors(app, (origin) => origins.allows(origin));
  // After CORS, which answers the OPTIONS of a preflight.
  refuseOtherMethods(app);
  const router = new Router({
    app,
    upgrades,
    tokens: auth.tokens,
    workspaces: workspaces.workspaces,
    sessionSockets: new SessionSockets(auth.sessionEnds),
  });
  addNodeRoutes(router, auth.sessionEnds);
  addWorkspaces(router, served);
  addAgents(router, served);
  addPorts(router, served);
  addDiagnosticRoutes(router, served.diagnostics.sources);
  addLogRoutes(router, config.logs, { nodeLogs: served.diagnostics.nodeLogs, log });
  // The generic of the server's type is lost; the server always has TLS.
  const server = app.server as Server;
  return { app, server, upgrades, router, connections: new OpenConnections(server) };
}

function addWorkspaces(router: Router, served: ServedServices): void {
  const { workspaces: services, content, agents } = served;
  const { storage, log } = served.foundation;
  const { workspaces, worktrees, terminals } = services;
  const { events, tabs } = storage;
  const { unchangedStop } = agents.snapshots;
  addWorkspaceRoutes(router, { workspaces, unchangedStop, events, tabs });
  addTerminalSockets(router, { terminals, log });
  addFileRoutes(router, { ...content, worktrees });
  addGitRoutes(router, { git: content.git, worktrees });
}

function addAgents(router: Router, { foundation, agents }: ServedServices): void {
  const { config, log } = foundation;
  const { snapshots, sessions: services } = agents;
  const { sessions } = services;
  const { conversations } = agents.conversations;
  const rolloverLimits = config.agentSessions.rollover;
  addAgentSessionRoutes(router, { ...services, ...snapshots, rolloverLimits });
  addAgentSocket(router, { sessions, conversations, times: config.conversations.viewers, log });
}

function addPorts(router: Router, { foundation, auth, workspaces, ports, previews }: ServedServices): void {
  const deps = { tokens: auth.tokens, workspaces: workspaces.workspaces, forwarder: previews.forwarder };
  const { sessions, credentials } = previews;
  const { controlPlaneUrl, ports: settings } = foundation.config;
  const { publicScheme } = settings;
  addPortRoutes(router, ports.scanner);
  const { usedTokens } = auth;
  addPreviewRoutes(router, { ...deps, usedTokens, sessions, credentials, publicScheme, controlPlaneUrl });
  addLocalForwardRoutes(router, deps);
}
