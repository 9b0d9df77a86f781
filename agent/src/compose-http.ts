import Docker from 'dockerode';
import type { FastifyInstance } from 'fastify';
import type { SessionEnds } from './auth/session-ends.js';
import { SessionSockets } from './auth/session-sockets.js';
import type { Config } from './config/config.js';
import type { LogRing } from './diagnostics/log-ring.js';
import { NodeContainers } from './diagnostics/node-containers.js';
import { originRule } from './http/allowed-origins.js';
import { addCors } from './http/cors.js';
import { addDiagnosticRoutes } from './http/diagnostic-routes.js';
import { addPortRoutes } from './http/port-routes.js';
import { addSessionRoutes } from './http/session-routes.js';
import { TerminalUpgrades } from './http/terminal-upgrades.js';
import { Upgrades } from './http/upgrades.js';
import { addWorkspaceContentRoutes } from './http/workspace-content-routes.js';
import { addWorkspaceRoutes } from './http/workspace-routes.js';
import { addWorkspaceViewRoutes, type WorkspaceViews } from './http/workspace-view-routes.js';
import type { Log } from './log/log.js';
import { Ports } from './ports/ports.js';
import type { Terminals } from './terminals/terminals.js';
import type { WorkspaceRunner } from './workspaces/command.js';
import { DockerEngine } from './workspaces/container/docker-engine.js';

interface HttpNeeds extends WorkspaceViews {
  readonly runner: WorkspaceRunner;
  readonly config: Config;
  readonly ends: SessionEnds;
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
  addWorkspaceContentRoutes(app, needs);
  addWorkspaceViewRoutes(app, needs);
  const ports = new Ports(config, needs);
  addPortRoutes(app, { ...needs, ...ports });
  ports.scanner.start();
  const { nodeId, stateDir, logs: logLimits } = config;
  const engine = config.role === 'standalone' ? null : new DockerEngine(new Docker());
  const containers = new NodeContainers(engine, nodeId);
  addDiagnosticRoutes(app, { ...needs, nodeId, stateDir, logLimits, containers });
  const terminalSockets = new TerminalUpgrades({ ...needs, sessionSockets: new SessionSockets(ends) });
  const upgrades = new Upgrades(log);
  terminalSockets.addTo(upgrades);
  upgrades.serve(app.server);
  return { app, upgrades, terminalSockets, ports };
}
