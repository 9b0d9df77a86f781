import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { NodeEventList, WorkspaceTabList } from '../../../protocol/node-api.js';
import type { TokenChecks } from '../auth/token-checks.js';
import { AgentError } from '../errors.js';
import type { EventStore } from '../store/event-store.js';
import type { TabStore } from '../store/tab-store.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import { EventPageQuery, eventPage } from './event-page.js';
import { admitTo } from './workspace-request.js';

export interface WorkspaceViews {
  readonly tokens: TokenChecks;
  readonly workspaces: Workspaces;
  readonly events: EventStore;
  readonly tabs: TabStore;
}

/** What happened in a workspace, and what is open in it. */
export function addWorkspaceViewRoutes(app: FastifyInstance, views: WorkspaceViews): void {
  app.get('/workspaces/:workspaceId/events', async (request): Promise<NodeEventList> => {
    const { workspaceId } = await admitToView(request, views);
    return eventPage(views.events, EventPageQuery.parse(request.query), workspaceId);
  });

  app.get('/workspaces/:workspaceId/tabs', async (request): Promise<WorkspaceTabList> => {
    const { workspaceId, userId } = await admitToView(request, views);
    return { tabs: views.tabs.list(workspaceId, userId) };
  });
}

async function admitToView(request: FastifyRequest, { tokens, workspaces }: WorkspaceViews) {
  const admitted = await admitTo(request, { tokens, find: (id) => workspaces.find(id) });
  if (!workspaces.find(admitted.workspaceId))
    throw new AgentError('not_found', 'This node has no such workspace');
  return admitted;
}
