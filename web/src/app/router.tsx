import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { HomePage } from '../projects/home-page.js';
import { ProjectPage } from '../projects/project-page.js';
import { ProjectTasksPage } from '../projects/project-tasks-page.js';
import {
  readProjectAhead,
  readProjectsAhead,
  readTaskAhead,
  readTasksAhead,
} from '../projects/read-ahead.js';
import { isShownTab, type ShownTab } from '../tasks/task-tabs.js';
import { Frame } from './frame.js';
import { Missing } from './missing.js';
import type { Services } from './services.js';

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

const root = createRootRouteWithContext<Services>()({ component: Frame, notFoundComponent: Missing });

/** `?prompt=` fills the form. It is never sent by itself. */
const promptSearch = (search: Record<string, unknown>): { prompt?: string } =>
  typeof search.prompt === 'string' ? { prompt: search.prompt } : {};

// Most visits begin with the tasks of a project: these pages come with the first file.
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: promptSearch,
  loader: ({ context }) => {
    readProjectsAhead(context);
    readTasksAhead(context);
  },
  component: HomePage,
});
const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  component: lazyRouteComponent(() => import('../inbox/inbox-page.js'), 'InboxPage'),
});
const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: lazyRouteComponent(() => import('../projects/projects-page.js'), 'ProjectsPage'),
});
const start = createRoute({
  getParentRoute: () => root,
  path: '/start',
  component: lazyRouteComponent(() => import('../start/start-page.js'), 'StartPage'),
});
export const projectRoute = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId',
  loader: ({ context, params }) => readProjectAhead(context, params.projectId),
  component: ProjectPage,
});
const projectTasks = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  validateSearch: promptSearch,
  loader: ({ context, params }) => readTasksAhead(context, params.projectId),
  component: ProjectTasksPage,
});
const members = createRoute({
  getParentRoute: () => projectRoute,
  path: 'members',
  component: lazyRouteComponent(() => import('../members/members-page.js'), 'MembersPage'),
});
const profiles = createRoute({
  getParentRoute: () => projectRoute,
  path: 'profiles',
  component: lazyRouteComponent(() => import('../profiles/profiles-page.js'), 'ProfilesPage'),
});
const skills = createRoute({
  getParentRoute: () => projectRoute,
  path: 'skills',
  component: lazyRouteComponent(() => import('../profiles/profiles-page.js'), 'SkillsPage'),
});
const projectCredentials = createRoute({
  getParentRoute: () => projectRoute,
  path: 'credentials',
  component: lazyRouteComponent(
    () => import('../credentials/project-credentials-page.js'),
    'ProjectCredentialsPage',
  ),
});
const projectSettings = createRoute({
  getParentRoute: () => projectRoute,
  path: 'settings',
  component: lazyRouteComponent(() => import('../projects/project-settings-page.js'), 'ProjectSettingsPage'),
});
const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyRouteComponent(() => import('../members/invite-page.js'), 'InvitePage'),
});
export const taskRoute = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId/tasks/$taskId',
  validateSearch: ({ tab }): { tab?: ShownTab } => (isShownTab(tab) ? { tab } : {}),
  loader: ({ context, params }) => readTaskAhead(context, params),
  component: lazyRouteComponent(() => import('../tasks/task-page.js'), 'TaskPage'),
});

const workspaces = createRoute({
  getParentRoute: () => root,
  path: '/workspaces',
  component: lazyRouteComponent(() => import('../workspaces/workspaces-page.js'), 'WorkspacesPage'),
});
const newWorkspace = createRoute({
  getParentRoute: () => root,
  path: '/new',
  component: lazyRouteComponent(() => import('../workspaces/new-workspace-page.js'), 'NewWorkspacePage'),
});
/** The code host sends people back to this path after an installation. */
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('../settings/settings-page.js'), 'SettingsPage'),
});
const adminRoute = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  component: lazyRouteComponent(() => import('../admin/admin-page.js'), 'AdminPage'),
});
const nodes = createRoute({
  getParentRoute: () => adminRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../admin/nodes-page.js'), 'NodesPage'),
});
const deployment = createRoute({
  getParentRoute: () => adminRoute,
  path: 'deployment',
  component: lazyRouteComponent(() => import('../admin/deployment-page.js'), 'DeploymentPage'),
});
const people = createRoute({
  getParentRoute: () => adminRoute,
  path: 'people',
  component: lazyRouteComponent(() => import('../admin/people-page.js'), 'PeoplePage'),
});
/** The address of the nodes before there was a page for admins. */
const formerNodes = createRoute({
  getParentRoute: () => root,
  path: '/nodes',
  beforeLoad: () => {
    throw redirect({ to: '/admin' });
  },
});
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
    ...[home, inbox, start, projects, taskRoute, invite],
    projectRoute.addChildren([
      ...[projectTasks, members, profiles, skills, projectCredentials, projectSettings],
    ]),
    adminRoute.addChildren([nodes, deployment, people]),
    ...[workspaces, newWorkspace, settings, formerNodes, workspaceRoute, portRoute],
  ]),
  // Given before the first page is loaded.
  context: {} as Services,
  defaultPendingComponent: () => <p className="loading">Loading …</p>,
});
