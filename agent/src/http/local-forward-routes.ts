import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { AgentError } from '../errors.js';
import type { Forwarder, Forwarding } from '../previews/forwarder.js';
import { parsePreviewAddress } from '../previews/preview-address.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { forwardRoute } from './forward-route.js';
import type { Upgrades } from './upgrades.js';

export interface LocalForwardParts {
  readonly tokens: TokenChecks;
  readonly workspaces: Workspaces;
  readonly forwarder: Forwarder;
}

const Params = z.object({
  workspaceId: Ulid,
  port: z.coerce.number().check(z.int(), z.gte(1), z.lte(65_535)),
});

/** A service of a workspace as a person's own machine offers it: the service believes to be there. */
export function addLocalForwardRoutes(
  app: FastifyInstance,
  upgrades: Upgrades,
  parts: LocalForwardParts,
): void {
  app.all(
    '/workspaces/:workspaceId/local-forward/:port/*',
    forwardRoute(async (request, reply) => {
      const forwarding = await admitted(request, parts);
      await parts.forwarder.forward(forwarding, reply.raw, () => reply.hijack());
      return reply;
    }),
  );
  upgrades.add(/^\/workspaces\/[^/]+\/local-forward\/[^/]+(?:\/|$)/, async ({ request, url }) => {
    const [, , workspaceId, , port] = url.pathname.split('/');
    await parts.tokens.localForward(request.headers, Params.parse({ workspaceId, port }));
    throw new AgentError('not_implemented', 'A forwarded port takes no upgrades');
  });
}

async function admitted(request: FastifyRequest, parts: LocalForwardParts): Promise<Forwarding> {
  const { workspaceId, port } = Params.parse(request.params);
  const claims = await parts.tokens.localForward(request.headers, { workspaceId, port });
  const { generation } = parts.workspaces.running(workspaceId);
  if (claims.generation !== undefined && claims.generation !== generation)
    throw new AgentError('forbidden', 'The token is for another generation of the workspace');
  const { path = '', query = '' } = parsePreviewAddress(request.originalUrl) ?? {};
  return {
    request: request.raw,
    workspaceId,
    port,
    path: `${path || '/'}${query}`,
    as: {
      host: claims.localAuthority,
      forwardedHost: claims.localAuthority,
      forwardedFor: '127.0.0.1',
      forwardedProto: 'http',
      forwardedPrefix: null,
    },
    place: null,
    sessionHash: claims.session ?? null,
    cookie: null,
  };
}
