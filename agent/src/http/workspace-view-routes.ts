import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { NodeEventList, WorkspaceTabList } from '../../../protocol/node-api.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { workspaceCaller } from '../auth/workspace-caller.js';
import { AgentError } from '../errors.js';
import type { EventStore } from '../events/event-store.js';
import type { TabStore } from '../tabs/tab-store.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { EventPageQuery, eventPage } from './event-page.js';

const Params = z.object({ workspaceId: Ulid });
const TokenQuery = z.object({ token: z.optional(z.string()) });

export interface WorkspaceViews {
  readonly tokens: TokenChecks;
  readonly workspaces: Workspaces;
  readonly events: EventStore;
  readonly tabs: TabStore;
}

/** What happened in a workspace, and what is open in it. */
export function addWorkspaceViewRoutes(app: FastifyInstance, views: WorkspaceViews): void {
  app.get('/workspaces/:workspaceId/events', async (request): Promise<NodeEventList> => {
    const { workspaceId } = await admit(request, views);
    return eventPage(views.events, EventPageQuery.parse(request.query), workspaceId);
  });

  app.get('/workspaces/:workspaceId/tabs', async (request): Promise<WorkspaceTabList> => {
    const { workspaceId, userId } = await admit(request, views);
    return { tabs: views.tabs.list(workspaceId, userId) };
  });
}

async function admit(request: FastifyRequest, { tokens, workspaces }: WorkspaceViews) {
  const { workspaceId } = Params.parse(request.params);
  const { token } = TokenQuery.parse(request.query);
  const caller = { headers: request.headers, queryToken: token ?? null, workspaceId };
  const userId = await workspaceCaller(tokens, caller, (id) => workspaces.find(id));
  if (!workspaces.find(workspaceId)) throw new AgentError('not_found', 'This node has no such workspace');
  return { workspaceId, userId };
}
