import type { FastifyReply, FastifyRequest } from 'fastify';

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * A route whose requests go unchanged to a service of a workspace. It runs as a hook, before the
 * server checks methods, media types and lengths of bodies.
 */
export function forwardRoute(serve: Serve) {
  return {
    config: { isForwarded: true },
    onRequest: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { raw } = request;
      try {
        return await serve(request, reply);
      } catch (error) {
        // The rest of the body is read and dropped, so that the client reads the response.
        raw.resume();
        if (!raw.complete) reply.header('connection', 'close');
        throw error;
      }
    },
    handler: async () => {
      throw new Error('A forwarded request reached the handler of its route');
    },
  };
}
