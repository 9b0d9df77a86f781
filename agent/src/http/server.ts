import { STATUS_CODES } from 'node:http';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import type { NodeErrorCode } from '../../../protocol/node-api.js';
import type { Config } from '../config/config.js';
import { AgentError, statusOfError } from '../errors.js';
import type { Log } from '../log/log.js';
import type { NodeCertificate } from '../node/certificate.js';

const bodyLimitBytes = 256 * 1_024;
/** For what is streamed; each such route has a limit of its own within this. */
const streamTimeMs = 10 * 60_000;

const codeOfStatus: Readonly<Record<number, NodeErrorCode>> = {
  400: 'invalid_request',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

const served = new WeakMap<object, string[]>();

/** Each route of the server as `get /path/:parameter`; `any` stands for all methods. */
export function routesOf(app: FastifyInstance): readonly string[] {
  return served.get(app.server) ?? [];
}

/** The HTTPS server, with nothing on it yet: how it reads requests and how it tells errors. */
export function createServer(
  { certificatePem, keyPem }: NodeCertificate,
  times: Pick<Config['http'], 'readTimeoutMs' | 'idleTimeoutMs'>,
  log: Log,
) {
  const app = Fastify({
    https: { cert: certificatePem, key: keyPem, minVersion: 'TLSv1.2', headersTimeout: times.readTimeoutMs },
    bodyLimit: bodyLimitBytes,
    requestTimeout: streamTimeMs,
    keepAliveTimeout: times.idleTimeoutMs,
    forceCloseConnections: true,
    return503OnClosing: false,
    // An address that cannot be decoded does not reach the error handler below.
    frameworkErrors: (_, __, reply) => {
      reply.hijack();
      const body = JSON.stringify({ error: 'invalid_request', message: 'The address is not valid' });
      reply.raw.writeHead(400, { 'content-type': 'application/json', connection: 'close' }).end(body);
    },
    routerOptions: { ignoreTrailingSlash: true },
  });
  app.addHook('onRequest', async (request) => {
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return;
    const timer = setTimeout(() => {
      if (!request.raw.complete) request.raw.destroy();
    }, times.readTimeoutMs);
    request.raw.once('close', () => clearTimeout(timer));
  });
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
    reply.status(status).send(body);
  });
  app.setNotFoundHandler((_, reply) => {
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

export interface ErrorBody {
  readonly error: NodeErrorCode;
  readonly message: string;
  readonly details?: readonly { readonly field: string; readonly message: string }[];
}

/** What a caller may know of an error. */
export function describeError(error: unknown): { readonly status: number; readonly body: ErrorBody } {
  if (error instanceof AgentError)
    return { status: statusOfError[error.code], body: { error: error.code, message: error.message } };
  if (error instanceof z.core.$ZodError) return { status: 400, body: invalidBody(error) };
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const code = codeOfStatus[status];
  if (!code) return { status: 500, body: { error: 'internal', message: 'Internal error' } };
  return { status, body: { error: code, message: STATUS_CODES[status] ?? 'Bad request' } };
}

function invalidBody(error: z.core.$ZodError): ErrorBody {
  const details = error.issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message }));
  const fields = details.map(({ field }) => field || 'body').join(', ');
  return { error: 'invalid_request', message: `The request is not valid: ${fields}`, details };
}

/** Without the query, which may hold a token. */
function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
