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
import { leastTlsVersion, reportedByNodeId } from './served-certificates.js';

const bodyLimitBytes = 256 * 1_024;
const jsonType = 'application/json; charset=utf-8';

const parserErrors: Readonly<Record<string, readonly [status: number, code: NodeErrorCode]>> = {
  HPE_HEADER_OVERFLOW: [431, 'invalid_request'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'timed_out'],
};

const served = new WeakMap<object, string[]>();

/** Every route of the server as `get /path/:parameter`, or `any` for all methods. */
export function routesOf(app: FastifyInstance): readonly string[] {
  return served.get(app.server) ?? [];
}

/** The HTTPS server without routes: limits of requests, parsing of JSON, and error responses. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of routes or services
export function createServer(
  { nodeId, certificate }: { readonly nodeId: string; readonly certificate: NodeCertificate },
  times: Pick<Config['http'], 'readTimeoutMs' | 'idleTimeoutMs'>,
  log: Log,
) {
  const app = Fastify({
    https: {
      cert: certificate.certificatePem,
      key: certificate.keyPem,
      SNICallback: reportedByNodeId(nodeId, certificate),
      minVersion: leastTlsVersion,
      handshakeTimeout: times.readTimeoutMs,
      headersTimeout: times.readTimeoutMs,
      // The default checks for slow connections only every 30 seconds.
      connectionsCheckingInterval: Math.min(times.readTimeoutMs, 5_000),
    },
    clientErrorHandler: rejectUnreadable,
    bodyLimit: bodyLimitBytes,
    // Set for each request: forwarded requests have no limit.
    requestTimeout: 0,
    keepAliveTimeout: times.idleTimeoutMs,
    forceCloseConnections: true,
    return503OnClosing: false,
    // An address that cannot be decoded does not reach the error handler.
    frameworkErrors: (_, __, reply) => {
      reply.hijack();
      const body = JSON.stringify({ error: 'invalid_request', message: 'The address is not valid' });
      reply.raw.writeHead(400, { 'content-type': 'application/json', connection: 'close' }).end(body);
    },
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    routerOptions: { ignoreTrailingSlash: true },
    rewriteUrl: (request) => routedAddress(request),
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
    // Some clients send a content type without a body.
    if (body === '') done(null, undefined);
    else parseJson(request, body, done);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { status, body } = describeError(error);
    if (status === 500)
      log.error('Request failed', { method: request.method, path: pathOf(request.url), error });
    else log.debug('Request refused', { method: request.method, path: pathOf(request.url), status, error });
    drainIfUnread(request, reply);
    // As text: after a stream that failed, Fastify serializes no object.
    reply.status(status).removeHeader('content-disposition').type(jsonType).send(JSON.stringify(body));
  });
  app.setNotFoundHandler((request, reply) => {
    drainIfUnread(request, reply);
    reply.status(404).send({ error: 'not_found', message: 'No such route' });
  });
  app.addHook('onResponse', async (request, reply) => {
    log.debug('Request', {
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
    });
  });
  // Routes do not depend on the type parameter for the kind of server.
  return app as unknown as FastifyInstance;
}

/** Lets a client that is still sending read the refusal. */
function drainIfUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!raw.complete && reply.raw.socket) drainAfterResponse(reply.raw.socket);
}

/**
 * The compilers of Fastify's schemas are larger than Fastify, and the agent does not contain them.
 */
function refuseSchemas(): never {
  throw new Error('No route of the agent has a Fastify schema: the router parses requests with zod');
}

const refused = new WeakSet<Socket>();

/** Answers requests whose headers are too long, too slow or invalid. */
function rejectUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  // More data of a rejected request: destroying the socket now could lose the response.
  if (refused.has(socket)) return;
  refused.add(socket);
  const cause = error.code ?? '';
  // A client without TLS cannot read a response, and a second response would corrupt the first.
  const isReadable = cause.startsWith('HPE_') || cause in parserErrors;
  if (!isReadable || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [status, code] = parserErrors[cause] ?? [400, 'invalid_request' as const];
  const body: ErrorBody = { error: code, message: STATUS_CODES[status] ?? 'Bad request' };
  rejectConnection(socket, { status, body });
}

/** Whether a response is being sent on the connection. Node.js reads the same field. */
function isAnswering(socket: Socket): boolean {
  const answer = '_httpMessage' in socket ? socket._httpMessage : null;
  return answer instanceof ServerResponse && answer.headersSent;
}

/** Without the query, which may hold a token. */
function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
