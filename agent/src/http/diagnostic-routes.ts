import type { FastifyReply } from 'fastify';
import type { WebSocket } from 'ws';
import { diagnosticContracts, logContracts } from '../../api/diagnostics.js';
import type { LogQuery } from '../../api/log-query.js';
import type { Config } from '../config/config.js';
import { type DebugSources, debugPackage } from '../diagnostics/debug-package.js';
import { type CopiedDatabase, exportedDatabase } from '../diagnostics/exported-database.js';
import { LogStream } from '../diagnostics/log-stream.js';
import type { NodeLogs } from '../diagnostics/node-logs.js';
import { systemInfo } from '../diagnostics/system-info.js';
import { AgentError } from '../errors.js';
import type { Log } from '../shared/log.js';
import type { Router } from './router.js';

/** The node as a whole, for the control plane only. */
export function addDiagnosticRoutes(router: Router, sources: DebugSources): void {
  const { nodeId, events, containers } = sources;

  router.route(diagnosticContracts.systemInfo, async () => ({
    status: 200,
    body: await systemInfo(sources),
  }));

  router.route(diagnosticContracts.listContainers, async () => {
    const running = await containers.list().catch((cause: unknown) => {
      throw new AgentError('unavailable', 'The Docker engine does not answer. Try again later.', { cause });
    });
    return { status: 200, body: { containers: running } };
  });

  router.route(diagnosticContracts.nodeEvents, ({ query }) => ({
    status: 200,
    body: events.page(query, null),
  }));

  router.route(diagnosticContracts.exportEvents, (_, { reply }) =>
    sendDatabase(reply, `events-${nodeId}.db`, events),
  );

  router.route(diagnosticContracts.exportMetrics, (_, { reply }) =>
    sendDatabase(reply, `metrics-${nodeId}.db`, sources.metrics),
  );

  router.route(diagnosticContracts.debugPackage, async (_, { reply }) => {
    const time = new Date().toISOString().replace(/[:.]/g, '-');
    reply.header('content-type', 'application/gzip');
    reply.header('content-disposition', `attachment; filename="debug-${nodeId}-${time}.tar.gz"`);
    return reply.send(debugPackage(sources));
  });
}

async function sendDatabase(reply: FastifyReply, name: string, database: CopiedDatabase) {
  const { stream, size } = await exportedDatabase(database);
  reply.header('content-type', 'application/x-sqlite3').header('content-length', size);
  return reply.header('content-disposition', `attachment; filename="${name}"`).send(stream);
}

/** Each stream has its own reader of every log. */
const maxLogStreams = 32;
const maxLogMessageBytes = 4_096;

export interface LogRouteDeps {
  readonly nodeLogs: NodeLogs;
  readonly log: Log;
}

export function addLogRoutes(router: Router, limits: Config['logs'], deps: LogRouteDeps): void {
  const contracts = logContracts(limits);
  let streams = 0;

  router.route(contracts.logs, async ({ query }) => ({ status: 200, body: await deps.nodeLogs.page(query) }));

  router.socket(contracts.followLogs, maxLogMessageBytes, ({ query }) => (client) => {
    streams += 1;
    client.once('close', () => {
      streams -= 1;
    });
    // A client over the limit needs the stream too: it ends a client that does not answer the
    // close.
    const stream = new LogStream(client, limits.stream);
    if (streams > maxLogStreams) client.close(1_013, 'too many streams');
    else follow({ client, stream, query, catchUp: limits.stream.catchUp }, deps);
  });
}

interface Follower {
  readonly client: WebSocket;
  readonly stream: LogStream;
  readonly query: LogQuery;
  readonly catchUp: number;
}

function follow({ client, stream, query, catchUp }: Follower, { nodeLogs, log }: LogRouteDeps): void {
  nodeLogs
    .follow({ ...query, cursor: undefined }, { catchUp, signal: stream.signal }, (entry) =>
      stream.send(entry),
    )
    .then((unavailable) => {
      for (const { source, reason } of unavailable) stream.fail(`${source}: ${reason}`);
    })
    .catch((error: unknown) => {
      log.error('Log stream failed', { error });
      client.close(1_011, 'the logs cannot be read');
    });
}
