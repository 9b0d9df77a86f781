import { workspaceContracts } from '../../api/workspaces.js';
import type { UnchangedStop } from '../snapshots/unchanged-stop.js';
import type { EventStore } from '../store/event-store.js';
import type { TabStore } from '../store/tab-store.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { Workspaces } from '../workspaces/workspaces.js';
import type { Router } from './router.js';

export interface WorkspaceRouteDeps {
  readonly workspaces: Workspaces;
  readonly unchangedStop: UnchangedStop;
  readonly events: EventStore;
  readonly tabs: TabStore;
}

export function addWorkspaceRoutes(router: Router, deps: WorkspaceRouteDeps): void {
  const { workspaces, events, tabs } = deps;
  addCommands(router, deps);

  router.route(workspaceContracts.listWorkspaces, () => ({
    status: 200,
    body: { workspaces: workspaces.list() },
  }));

  router.route(workspaceContracts.workspaceEvents, ({ query, workspace }) => ({
    status: 200,
    body: events.page(query, workspace.workspaceId),
  }));

  router.route(workspaceContracts.listTabs, ({ auth, workspace }) => ({
    status: 200,
    body: { tabs: tabs.list(workspace.workspaceId, auth.userId) },
  }));
}

function addCommands(
  router: Router,
  { workspaces, unchangedStop }: Pick<WorkspaceRouteDeps, 'workspaces' | 'unchangedStop'>,
): void {
  router.route(workspaceContracts.createWorkspace, async ({ body }) => {
    const result = await workspaces.create(body);
    return { status: result.status === 'creating' ? 202 : 200, body: result };
  });

  router.route(workspaceContracts.stopWorkspace, async ({ params, body }) => {
    const { snapshotOperationId: id } = body;
    const prepare =
      id === undefined ? undefined : (workspace: Workspace) => unchangedStop.prepare(workspace, id);
    await workspaces.stop(params.workspaceId, prepare);
    return { status: 200, body: { status: 'stopped' } };
  });

  router.route(workspaceContracts.restartWorkspace, async ({ params, body }) => {
    await workspaces.restart(params.workspaceId, body);
    return { status: 202, body: { status: 'creating' } };
  });

  router.route(workspaceContracts.rebuildWorkspace, async ({ params, body }) => {
    await workspaces.rebuild(params.workspaceId, body);
    return { status: 202, body: { status: 'rebuilding' } };
  });

  router.route(workspaceContracts.deleteWorkspace, async ({ params }) => {
    await workspaces.delete(params.workspaceId);
    return { status: 200, body: { success: true } };
  });
}
