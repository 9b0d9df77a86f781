import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import {
  CreateNodeWorkspace,
  type CreateNodeWorkspaceResult,
  type DeleteNodeWorkspaceResult,
  type NodeWorkspaceList,
  type RebuildNodeWorkspaceResult,
  type RestartNodeWorkspaceResult,
  RestartOrRebuildRequest,
  type StopNodeWorkspaceResult,
} from '../../../protocol/node-api.js';
import type { TokenChecks } from '../auth/token-checks.js';
import type { Workspaces } from '../workspaces/workspaces.js';

const Params = z.object({ workspaceId: Ulid });

/** The life of workspaces, for the control plane. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of routes or services, one after the other
export function addWorkspaceRoutes(app: FastifyInstance, tokens: TokenChecks, workspaces: Workspaces): void {
  app.get('/workspaces', async (request): Promise<z.infer<typeof NodeWorkspaceList>> => {
    await tokens.node(request.headers);
    return { workspaces: workspaces.list() };
  });

  // Who is checked before what they sent: a stranger learns nothing about the form of requests.
  app.post('/workspaces', async (request, reply): Promise<CreateNodeWorkspaceResult> => {
    await tokens.management(request.headers);
    const body = CreateNodeWorkspace.parse(request.body);
    await tokens.workspace(request.headers, body.workspaceId);
    const result = await workspaces.create(body);
    reply.status(result.status === 'creating' ? 202 : 200);
    return result;
  });

  app.post(
    '/workspaces/:workspaceId/stop',
    async (request): Promise<z.infer<typeof StopNodeWorkspaceResult>> => {
      await tokens.management(request.headers);
      const { workspaceId } = Params.parse(request.params);
      await tokens.workspace(request.headers, workspaceId);
      await workspaces.stop(workspaceId);
      return { status: 'stopped' };
    },
  );

  app.post(
    '/workspaces/:workspaceId/restart',
    async (request, reply): Promise<RestartNodeWorkspaceResult> => {
      const { workspaceId, body } = await restartOrRebuildRequest(request, tokens);
      await workspaces.restart(workspaceId, body);
      reply.status(202);
      return { status: 'creating' };
    },
  );

  app.post(
    '/workspaces/:workspaceId/rebuild',
    async (request, reply): Promise<RebuildNodeWorkspaceResult> => {
      const { workspaceId, body } = await restartOrRebuildRequest(request, tokens);
      await workspaces.rebuild(workspaceId, body);
      reply.status(202);
      return { status: 'rebuilding' };
    },
  );

  app.delete(
    '/workspaces/:workspaceId',
    async (request): Promise<z.infer<typeof DeleteNodeWorkspaceResult>> => {
      await tokens.management(request.headers);
      const { workspaceId } = Params.parse(request.params);
      await tokens.workspace(request.headers, workspaceId);
      await workspaces.delete(workspaceId);
      return { success: true };
    },
  );
}

async function restartOrRebuildRequest(request: FastifyRequest, tokens: TokenChecks) {
  await tokens.management(request.headers);
  const { workspaceId } = Params.parse(request.params);
  await tokens.workspace(request.headers, workspaceId);
  return { workspaceId, body: RestartOrRebuildRequest.parse(request.body ?? {}) };
}
