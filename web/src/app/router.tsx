import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { isShownTab, type ShownTab } from '../tasks/task-tabs.js';
import { Frame } from './frame.js';
import { Missing } from './missing.js';

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryStateExtra {
    /** A sentence to show on the next page. */
    notice?: string;
  }
  interface HistoryState extends HistoryStateExtra {}
}

const root = createRootRoute({ component: Frame, notFoundComponent: Missing });

/** `?prompt=` fills the form. It is never sent by itself. */
const promptSearch = (search: Record<string, unknown>): { prompt?: string } =>
  typeof search.prompt === 'string' ? { prompt: search.prompt } : {};

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: promptSearch,
  component: lazyRouteComponent(() => import('../projects/home-page.js'), 'HomePage'),
});
const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: lazyRouteComponent(() => import('../projects/projects-page.js'), 'ProjectsPage'),
});
export const projectRoute = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId',
  validateSearch: promptSearch,
  component: lazyRouteComponent(() => import('../projects/project-page.js'), 'ProjectPage'),
});
export const taskRoute = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/tasks/$taskId',
  validateSearch: ({ tab }): { tab?: ShownTab } => (isShownTab(tab) ? { tab } : {}),
  component: lazyRouteComponent(() => import('../tasks/task-page.js'), 'TaskPage'),
});

const hosted = (name: 'WorkspacesPage' | 'NewWorkspacePage' | 'NodesPage') =>
  lazyRouteComponent(() => import('../workspaces/pages.js'), name);
const workspaces = createRoute({
  getParentRoute: () => root,
  path: '/workspaces',
  component: hosted('WorkspacesPage'),
});
const newWorkspace = createRoute({
  getParentRoute: () => root,
  path: '/new',
  component: hosted('NewWorkspacePage'),
});
/** The code host sends people back to this path after an installation. */
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: hosted('NewWorkspacePage'),
});
const nodes = createRoute({ getParentRoute: () => root, path: '/nodes', component: hosted('NodesPage') });
export const workspaceRoute = createRoute({
  getParentRoute: () => root,
  path: '/workspaces/$workspaceId',
  component: lazyRouteComponent(() => import('../workspaces/workspace-page.js'), 'WorkspacePage'),
});
export const portRoute = createRoute({
  getParentRoute: () => root,
  path: '/workspaces/$workspaceId/ports/$port',
  component: lazyRouteComponent(() => import('../workspaces/port-page.js'), 'PortPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    ...[home, projects, projectRoute, taskRoute],
    ...[workspaces, newWorkspace, settings, nodes, workspaceRoute, portRoute],
  ]),
  defaultPendingComponent: () => <p className="loading">Loading …</p>,
});
