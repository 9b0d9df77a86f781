import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { NodeEventList } from '../../../protocol/node-api.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { type DebugSources, debugPackage } from '../diagnostics/debug-package.js';
import { type CopiedDatabase, exportedDatabase } from '../diagnostics/exported-database.js';
import { type LogLimits, type LogPage, logQuery } from '../diagnostics/log-query.js';
import type { NodeLogs } from '../diagnostics/node-logs.js';
import { systemInfo } from '../diagnostics/system-info.js';
import { AgentError } from '../errors.js';
import { EventPageQuery, eventPage } from './event-page.js';

const TokenQuery = z.object({ token: z.optional(z.string()) });

export interface DiagnosticParts extends DebugSources {
  readonly tokens: TokenChecks;
  readonly nodeLogs: NodeLogs;
  readonly logLimits: LogLimits;
}

/** The node as a whole, for the control plane with a node-scoped token and nobody else. */
export function addDiagnosticRoutes(app: FastifyInstance, parts: DiagnosticParts): void {
  const { tokens, nodeId, events, metrics, containers, nodeLogs } = parts;
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
    const running = await containers.list().catch((cause: unknown) => {
      throw new AgentError('unavailable', 'The Docker engine does not answer', { cause });
    });
    return { containers: running };
  });

  app.get('/events', async (request): Promise<NodeEventList> => {
    await admit(request);
    return eventPage(events, EventPageQuery.parse(request.query), null);
  });

  app.get('/events/export', async (request, reply) => {
    await admit(request);
    return sendDatabase(reply, `events-${nodeId}.db`, events);
  });

  app.get('/metrics/export', async (request, reply) => {
    await admit(request);
    return sendDatabase(reply, `metrics-${nodeId}.db`, metrics);
  });

  app.get('/logs', async (request): Promise<LogPage> => {
    await admit(request);
    return nodeLogs.page(Query.parse(request.query));
  });

  app.get('/debug-package', async (request, reply) => {
    await admit(request);
    const time = new Date().toISOString().replace(/[:.]/g, '-');
    reply.header('content-type', 'application/gzip');
    reply.header('content-disposition', `attachment; filename="debug-${nodeId}-${time}.tar.gz"`);
    return reply.send(debugPackage(parts));
  });
}

async function sendDatabase(reply: FastifyReply, name: string, database: CopiedDatabase) {
  const { stream, size } = await exportedDatabase(database);
  reply.header('content-type', 'application/x-sqlite3').header('content-length', size);
  return reply.header('content-disposition', `attachment; filename="${name}"`).send(stream);
}
