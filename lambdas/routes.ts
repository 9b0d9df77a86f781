import { routes as admin } from './http/admin/routes.js';
import { routes as agentSessions } from './http/agent-sessions/routes.js';
import { routes as auth } from './http/auth/routes.js';
import { routes as callbacks } from './http/callbacks/routes.js';
import { routes as chats } from './http/chats/routes.js';
import { routes as codehost } from './http/codehost/routes.js';
import { routes as credentials } from './http/credentials/routes.js';
import { routes as eventChannels } from './http/event-channels/routes.js';
import { routes as eventSubscriptions } from './http/event-subscriptions/routes.js';
import { routes as files } from './http/files/routes.js';
import { routes as inbox } from './http/inbox/routes.js';
import { routes as invites } from './http/invites/routes.js';
import { routes as mcp } from './http/mcp/routes.js';
import { routes as members } from './http/members/routes.js';
import { routes as nodes } from './http/nodes/routes.js';
import { routes as profiles } from './http/profiles/routes.js';
import { routes as projects } from './http/projects/routes.js';
import { routes as resourceHistory } from './http/resource-history/routes.js';
import { routes as settings } from './http/settings/routes.js';
import { routes as tasks } from './http/tasks/routes.js';
import { routes as terminal } from './http/terminal/routes.js';
import { routes as utility } from './http/utility/routes.js';
import { routes as workspaces } from './http/workspaces/routes.js';
import { anyone, type FallbackRoute, type Route } from './route-row.js';

/**
 * The table of all HTTP routes, joined from its areas; docs/routes.md prints it. From it come the
 * API Gateway routes, the functions and their IAM policies (`infra`), the OpenAPI document, the
 * identity tests and docs/interface-coverage.md.
 */
export const routes: readonly Route[] = [
  ...utility,
  ...auth,
  ...admin,
  ...codehost,
  ...projects,
  ...tasks,
  ...chats,
  ...resourceHistory,
  ...eventSubscriptions,
  ...eventChannels,
  ...members,
  ...invites,
  ...profiles,
  ...settings,
  ...inbox,
  ...files,
  ...credentials,
  ...workspaces,
  ...agentSessions,
  ...terminal,
  ...nodes,
  ...callbacks,
  ...mcp,
];

/** Answers whatever no row above matches, in the shape of every other error. */
export const fallback: FallbackRoute = {
  method: 'ANY',
  path: '/{path+}',
  file: 'utility/not-found',
  auth: anyone,
  grants: [],
};
