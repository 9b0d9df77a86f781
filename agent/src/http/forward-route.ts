import type { FastifyReply, FastifyRequest } from 'fastify';

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * A route whose requests go to a service of a workspace as they are: it is served before the server looks at methods,
 * types and lengths of bodies, none of which are its business here.
 */
export function forwardRoute(serve: Serve) {
  return {
    config: { isForwarded: true },
    onRequest: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { raw } = request;
      try {
        return await serve(request, reply);
      } catch (error) {
        // What still comes is read to nothing, so that the client gets to see the answer.
        raw.resume();
        if (!raw.complete) reply.header('connection', 'close');
        throw error;
      }
    },
    handler: async () => {
      throw new Error('A request was forwarded and then served again');
    },
  };
}
