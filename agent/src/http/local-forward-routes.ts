import type { FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { pathParameters } from '../../api/parameters.js';
import { portContracts } from '../../api/ports.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { AgentError } from '../errors.js';
import type { Forwarder, Forwarding } from '../previews/forwarder.js';
import { parsePreviewAddress } from '../previews/preview-address.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import type { Router } from './router.js';

export interface LocalForwardDeps {
  readonly tokens: TokenChecks;
  readonly workspaces: Workspaces;
  readonly forwarder: Forwarder;
}

const { workspaceId: WorkspaceId, port: PortNumber } = pathParameters;
const Params = z.object({ workspaceId: WorkspaceId, port: PortNumber });

/**
 * Serves a service of a workspace on a port of a person's own machine. The service sees the address
 * of that port.
 */
export function addLocalForwardRoutes(router: Router, deps: LocalForwardDeps): void {
  router.forward(
    portContracts.localForward,
    async (request, reply) => {
      const forwarding = await admitted(request, deps);
      await deps.forwarder.forward(forwarding, reply.raw, () => reply.hijack());
      return reply;
    },
    async ({ request, url }) => {
      const [, , workspaceId, , port] = url.pathname.split('/');
      await deps.tokens.localForward(request.headers, Params.parse({ workspaceId, port }));
      throw new AgentError(
        'not_implemented',
        'Forwarded ports do not support upgrades. Send plain HTTP requests.',
      );
    },
  );
}

async function admitted(request: FastifyRequest, deps: LocalForwardDeps): Promise<Forwarding> {
  const { workspaceId, port } = Params.parse(request.params);
  const claims = await deps.tokens.localForward(request.headers, { workspaceId, port });
  const { generation } = deps.workspaces.running(workspaceId);
  if (claims.generation !== undefined && claims.generation !== generation)
    throw new AgentError('forbidden', 'The token is for another generation of the workspace');
  const { path = '', query = '' } =
    parsePreviewAddress({ url: request.originalUrl, headers: request.headers }) ?? {};
  return {
    request: request.raw,
    workspaceId,
    port,
    path: `${path || '/'}${query}`,
    as: {
      host: claims.localAuthority,
      origin: null,
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
