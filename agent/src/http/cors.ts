import type { FastifyInstance } from 'fastify';

/**
 * Allows pages of some origins to read responses. Every route still authenticates its caller, and
 * none accepts a cookie, so credentials are not allowed. A preflight carries no token and is
 * answered first.
 */
export function addCors(app: FastifyInstance, isAllowed: (origin: string) => boolean): void {
  app.addHook('onRequest', async (request, reply) => {
    // A service of a workspace sets its own CORS headers.
    if (request.routeOptions.config.isForwarded === true) return;
    const { origin } = request.headers;
    reply.header('vary', 'Origin');
    if (origin !== undefined && isAllowed(origin))
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
        'access-control-allow-headers': 'Content-Type, Authorization',
      });
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined)
      return reply.status(204).send();
  });
}
