import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { NodeEventList } from '../../../protocol/node-api.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { copyOf, type DebugSources, debugPackage } from '../diagnostics/debug-package.js';
import { type LogLimits, type LogPage, logPage, logQuery } from '../diagnostics/log-query.js';
import { systemInfo } from '../diagnostics/system-info.js';
import { EventPageQuery, eventPage } from './event-page.js';

const TokenQuery = z.object({ token: z.optional(z.string()) });

export interface DiagnosticParts extends DebugSources {
  readonly tokens: TokenChecks;
  readonly logLimits: LogLimits;
}

/** The node as a whole, for the control plane with a node-scoped token and nobody else. */
export function addDiagnosticRoutes(app: FastifyInstance, parts: DiagnosticParts): void {
  const { tokens, nodeId, events, containers, ring } = parts;
  const Query = logQuery(parts.logLimits);
  const admit = async (request: FastifyRequest) => {
    const { token = null } = TokenQuery.parse(request.query);
    await tokens.node(request.headers, token);
  };

  app.get('/system-info', async (request) => {
    await admit(request);
    return systemInfo(parts.stateDir, containers);
  });

  app.get('/containers', async (request) => {
    await admit(request);
    return { containers: await containers.list() };
  });

  app.get('/events', async (request): Promise<NodeEventList> => {
    await admit(request);
    return eventPage(events, EventPageQuery.parse(request.query), null);
  });

  app.get('/events/export', async (request, reply) => {
    await admit(request);
    reply.header('content-type', 'application/x-sqlite3');
    reply.header('content-disposition', `attachment; filename="events-${nodeId}.db"`);
    return copyOf(events);
  });

  app.get('/logs', async (request): Promise<LogPage> => {
    await admit(request);
    const query = Query.parse(request.query);
    const fromAgent = query.source === 'docker' ? [] : ring.list();
    const fromDocker = query.source === 'agent' ? [] : await containers.logs();
    return logPage([...fromAgent, ...fromDocker], query);
  });

  app.get('/debug-package', async (request, reply) => {
    await admit(request);
    const time = new Date().toISOString().replace(/[:.]/g, '-');
    reply.header('content-type', 'application/gzip');
    reply.header('content-disposition', `attachment; filename="debug-${nodeId}-${time}.tar.gz"`);
    return reply.send(debugPackage(parts));
  });
}
