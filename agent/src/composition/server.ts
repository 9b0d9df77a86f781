import type { Server } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { SessionEnds } from '../auth/session-ends.js';
import { SessionSockets } from '../auth/session-sockets.js';
import type { Config } from '../config/config.js';
import type { LiveConversations } from '../conversation/live-conversations.js';
import type { LogRing } from '../diagnostics/log-ring.js';
import type { MetricsStore } from '../diagnostics/metrics-store.js';
import { type AgentSessionRouteParts, addAgentSessionRoutes } from '../http/agent-session-routes.js';
import { AgentUpgrades } from '../http/agent-upgrades.js';
import { originRule } from '../http/allowed-origins.js';
import { addCors } from '../http/cors.js';
import { addLocalForwardRoutes } from '../http/local-forward-routes.js';
import { OpenConnections } from '../http/open-connections.js';
import { addPortRoutes } from '../http/port-routes.js';
import { addPreviewRoutes } from '../http/preview-routes.js';
import { addSessionRoutes } from '../http/session-routes.js';
import { TerminalUpgrades } from '../http/terminal-upgrades.js';
import { Upgrades } from '../http/upgrades.js';
import { addWorkspaceContentRoutes } from '../http/workspace-content-routes.js';
import { addWorkspaceRoutes } from '../http/workspace-routes.js';
import { addWorkspaceViewRoutes, type WorkspaceViews } from '../http/workspace-view-routes.js';
import { Ports } from '../ports/ports.js';
import { Previews } from '../previews/previews.js';
import type { Log } from '../shared/log.js';
import type { Terminals } from '../terminals/terminals.js';
import type { WorkspaceRunner } from '../workspaces/command.js';
import type { DockerEngine } from '../workspaces/container/docker-engine.js';
import { composeDiagnostics } from './diagnostics.js';

interface HttpNeeds extends WorkspaceViews, AgentSessionRouteParts {
  /** Null in the standalone role. */
  readonly engine: DockerEngine | null;
  readonly conversations: LiveConversations;
  readonly runner: WorkspaceRunner;
  readonly config: Config;
  readonly ends: SessionEnds;
  readonly metrics: MetricsStore;
  readonly ring: LogRing;
  readonly terminals: Terminals;
  readonly log: Log;
}

/** All routes and sockets on the server. */
export function composeHttp(app: FastifyInstance, needs: HttpNeeds) {
  const { config, tokens, ends, workspaces, log } = needs;
  addCors(app, originRule(config.http.allowedOrigins, config.controlPlaneUrl));
  addSessionRoutes(app, tokens, ends);
  addWorkspaceRoutes(app, tokens, workspaces);
  addWorkspaceViewRoutes(app, needs);
  addAgentSessionRoutes(app, needs);
  const ports = new Ports(config, needs);
  addWorkspaceContentRoutes(app, { ...needs, ...ports });
  addPortRoutes(app, { ...needs, ...ports });
  ports.scanner.start();
  const logStreams = composeDiagnostics(app, needs);
  const sessionSockets = new SessionSockets(ends);
  const terminalSockets = new TerminalUpgrades({ ...needs, sessionSockets });
  const times = config.conversations.viewers;
  const agentSockets = new AgentUpgrades({ ...needs, sessionSockets, times });
  const upgrades = new Upgrades(log);
  const previews = new Previews(config, { ...needs, ...ports });
  const { publicScheme } = config.ports;
  addPreviewRoutes(app, upgrades, { ...needs, ...previews, publicScheme });
  addLocalForwardRoutes(app, upgrades, { ...needs, ...previews });
  terminalSockets.addTo(upgrades);
  agentSockets.addTo(upgrades);
  logStreams.addTo(upgrades);
  // The generic of the server's type is lost; it is made with TLS always.
  const connections = new OpenConnections(app.server as Server);
  return { app, connections, upgrades, terminalSockets, agentSockets, logStreams, ports, previews };
}
