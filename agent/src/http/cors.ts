import type { FastifyInstance } from 'fastify';

/**
 * Tells browsers which pages may read answers. It lets nobody in: every route checks its token, and none of them takes a
 * cookie, so credentials are not allowed. A preflight is answered before any check, since it carries no token.
 */
export function addCors(app: FastifyInstance, isAllowed: (origin: string) => boolean): void {
  app.addHook('onRequest', async (request, reply) => {
    // A service of a workspace says itself who may read its answers.
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
