import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { NodeErrorCode } from '../../../protocol/node-api.js';
import type { Config } from '../config/config.js';
import type { NodeCertificate } from '../node/certificate.js';
import { routedAddress } from '../previews/preview-address.js';
import type { Log } from '../shared/log.js';
import { drainAfterResponse, rejectConnection } from './drain-socket.js';
import { describeError, type ErrorBody } from './error-response.js';
import { admitForwarded, boundRequests } from './request-bounds.js';

const bodyLimitBytes = 256 * 1_024;

const unreadOf: Readonly<Record<string, readonly [status: number, code: NodeErrorCode]>> = {
  HPE_HEADER_OVERFLOW: [431, 'invalid_request'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'timed_out'],
};

const served = new WeakMap<object, string[]>();

/** Each route of the server as `get /path/:parameter`; `any` stands for all methods. */
export function routesOf(app: FastifyInstance): readonly string[] {
  return served.get(app.server) ?? [];
}

/** The HTTPS server, with nothing on it yet: how it reads requests and how it tells errors. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of routes or services, one after the other
export function createServer(
  { certificatePem, keyPem }: NodeCertificate,
  times: Pick<Config['http'], 'readTimeoutMs' | 'idleTimeoutMs'>,
  log: Log,
) {
  const app = Fastify({
    https: {
      cert: certificatePem,
      key: keyPem,
      minVersion: 'TLSv1.2',
      handshakeTimeout: times.readTimeoutMs,
      headersTimeout: times.readTimeoutMs,
      // Else connections that are too slow are looked for every half minute only.
      connectionsCheckingInterval: Math.min(times.readTimeoutMs, 5_000),
    },
    clientErrorHandler: refuseUnread,
    bodyLimit: bodyLimitBytes,
    // Bounded for each request instead, since what goes to a service of a workspace has no bound.
    requestTimeout: 0,
    keepAliveTimeout: times.idleTimeoutMs,
    forceCloseConnections: true,
    return503OnClosing: false,
    // An address that cannot be decoded does not reach the error handler below.
    frameworkErrors: (_, __, reply) => {
      reply.hijack();
      const body = JSON.stringify({ error: 'invalid_request', message: 'The address is not valid' });
      reply.raw.writeHead(400, { 'content-type': 'application/json', connection: 'close' }).end(body);
    },
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    routerOptions: { ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => routedAddress(url),
  });
  boundRequests(app, times.readTimeoutMs);
  admitForwarded(app);
  served.set(app.server, []);
  app.addHook('onRoute', ({ method, url }) => {
    const methods = [method].flat();
    const name = methods.length > 2 ? 'any' : methods[0]?.toLowerCase();
    if (name !== 'head') served.get(app.server)?.push(`${name} ${url}`);
  });
  app.removeContentTypeParser('text/plain');
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    // Some clients name a type even where they send nothing.
    if (body === '') done(null, undefined);
    else parseJson(request, body, done);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, body } = describeError(error);
    if (status === 500)
      log.error('Request failed', { method: request.method, path: pathOf(request.url), error });
    else log.debug('Request refused', { method: request.method, path: pathOf(request.url), status, error });
    partIfUnread(request, reply);
    reply.status(status).send(body);
  });
  app.setNotFoundHandler((request, reply) => {
    partIfUnread(request, reply);
    reply.status(404).send({ error: 'not_found', message: 'There is no such route' });
  });
  app.addHook('onResponse', async (request, reply) => {
    log.debug('Request', {
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
    });
  });
  // The generic carries the kind of server, which no route cares about.
  return app as unknown as FastifyInstance;
}

/** A client that is refused while it still sends gets to see why. */
function partIfUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!raw.complete && reply.raw.socket) drainAfterResponse(reply.raw.socket);
}

/** What compiles Fastify's schemas is larger than Fastify, and is no part of the agent. */
function refuseSchemas(): never {
  throw new Error('No route of the agent has a Fastify schema: routes read what they are sent with zod');
}

const refused = new WeakSet<Socket>();

/** Answers what never became a request: headers that are too long, come too slowly or make no sense. */
function refuseUnread(error: Error & { readonly code?: string }, socket: Socket): void {
  // The rest of what cannot be read: cut off now, the client might never see why.
  if (refused.has(socket)) return;
  refused.add(socket);
  const cause = error.code ?? '';
  // Whoever speaks no TLS, or is gone, would not understand an answer; in the midst of another it would be part of that.
  const isReadable = cause.startsWith('HPE_') || cause in unreadOf;
  if (!isReadable || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [status, code] = unreadOf[cause] ?? [400, 'invalid_request' as const];
  const body: ErrorBody = { error: code, message: STATUS_CODES[status] ?? 'Bad request' };
  rejectConnection(socket, { status, body });
}

/** Whether an answer has begun on the connection and is not over: where Node itself looks before it refuses. */
function isAnswering(socket: Socket): boolean {
  const answer = '_httpMessage' in socket ? socket._httpMessage : null;
  return answer instanceof ServerResponse && answer.headersSent;
}

/** Without the query, which may hold a token. */
function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
