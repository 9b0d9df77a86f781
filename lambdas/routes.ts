import type { RateLimitName } from './domain/rate-limits/rate-limits.js';

/**
 * The one table of all HTTP routes. From it come the API Gateway routes, the functions and their IAM policies
 * (`infra`), the OpenAPI document, the identity tests and docs/interface-coverage.md. A function learns its own
 * row from its environment (`ROUTE`), so what is declared here is what is enforced.
 */

/** Who may call. The edge enforces it before the handler runs; a handler cannot loosen it. */
export type Authorisation =
  /** Nobody is asked who they are. */
  | { readonly kind: 'public' }
  /** A signed-in person. `owns` names the record in the path that must be theirs: 404 for anybody else's. */
  | { readonly kind: 'session'; readonly owns?: 'workspace' | 'node' }
  /**
   * A member of `{projectId}` with this capability: 404 for outsiders, 403 for members who lack it. Of a detached project
   * they can only read, but for what says `evenDetached`.
   */
  | { readonly kind: 'capability'; readonly capability: Capability; readonly evenDetached?: true }
  | { readonly kind: 'superadmin' }
  /** The node `{nodeId}` itself, by its callback token. */
  | { readonly kind: 'nodeCallback' }
  /** The present generation of `{workspaceId}`, by its callback token. */
  | { readonly kind: 'workspaceCallback' }
  /** The same of the workspace that the token names, about a session of its own: 404 for any other. */
  | { readonly kind: 'agentCallback' }
  /** A node, or a workspace on it, by its callback token: about what is on that node. */
  | { readonly kind: 'anyCallback' }
  /** An agent, by the MCP token of its session. */
  | { readonly kind: 'mcp' }
  /** The handler checks a proof of its own (a one-time token, an OAuth state); why is written in its file. */
  | { readonly kind: 'own' };

export const capabilities = [
  'project:read',
  'project:update',
  'project:delete',
  'project:transfer_ownership',
  'task:read',
  'task:write',
  'workspace:read',
  'workspace:write',
  'secret:read',
  'secret:write',
  'member:manage',
] as const;
export type Capability = (typeof capabilities)[number];

/** What a function may touch; `infra` turns each into least-privilege statements and environment variables. */
export type Grant =
  | 'table:read'
  | 'table:write'
  /** Sign JWTs with the newest signing key. */
  | 'tokens:sign'
  /** Read the public halves of the signing keys (to verify a token, or to publish them). */
  | 'tokens:verify'
  /** Encrypt or decrypt stored secrets with the data key. */
  | 'secrets:seal'
  | 'secrets:open'
  /** The code host application's client secret and private key. */
  | 'codehost:app'
  | 'artifacts:read'
  /** Files that people attach to tasks: to let one be uploaded, and to read it. */
  | 'uploads:write'
  | 'uploads:read'
  /** What messages of nodes are too long for: to let it be uploaded, to keep it, and to show it. */
  | 'content:upload'
  | 'content:keep'
  | 'content:read'
  | 'saga:provision-workspace'
  | 'saga:stop-workspace'
  | 'saga:delete-workspace'
  | 'saga:remove-node'
  | 'saga:run-task'
  | 'saga:end-run'
  /** Send wake-ups to the prompt worker. */
  | 'prompts:wake-up'
  /** Answer a waiting saga step by its task token. */
  | 'sagas:answer';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** File below `lambdas/http`, without `.ts`. Its contract is the export of that name in `<area>/contract.ts`. */
  readonly file: `${string}/${string}`;
  readonly auth: Authorisation;
  readonly grants: readonly Grant[];
  /** How often its caller may call it. A test demands one of each route that writes, signs, waits or costs money. */
  readonly limit?: RateLimitName;
  /** It waits for a node's answer, or for the bytes of a file: the longest hold of a route is in route-holds.ts. */
  readonly readsNode?: 'answer' | 'bytes';
  /** Nodes and probes call it at the API's own address, past CloudFront. */
  readonly isDirect?: true;
}

/** What answers when no route does. */
export interface FallbackRoute extends Omit<Route, 'method'> {
  readonly method: 'ANY';
}

const anyone = { kind: 'public' } as const;
const person = { kind: 'session' } as const;
const workspaceOwner = { kind: 'session', owns: 'workspace' } as const;
const nodeOwner = { kind: 'session', owns: 'node' } as const;
const node = { kind: 'nodeCallback' } as const;
const workspace = { kind: 'workspaceCallback' } as const;
const own = { kind: 'own' } as const;
const superadmin = { kind: 'superadmin' } as const;

const byteRoutes = ['files/raw', 'files/download', 'files/upload'];

const fileRoute = (method: 'GET' | 'POST', file: `${'files' | 'git'}/${string}`): Route => ({
  method,
  path: `/api/projects/{projectId}/sessions/{sessionId}/${file}`,
  file,
  auth: { kind: 'capability', capability: method === 'GET' ? 'workspace:read' : 'workspace:write' },
  grants: ['table:read', 'tokens:sign'],
  limit: 'NODE_READ',
  readsNode: byteRoutes.includes(file) ? 'bytes' : 'answer',
});

export const routes: readonly Route[] = [
  // Utility
  {
    method: 'GET',
    path: '/health',
    file: 'utility/health',
    auth: anyone,
    grants: ['table:read'],
    isDirect: true,
  },
  {
    method: 'GET',
    path: '/.well-known/jwks.json',
    file: 'utility/jwks',
    auth: anyone,
    grants: ['tokens:verify'],
    isDirect: true,
  },
  { method: 'GET', path: '/openapi.json', file: 'utility/openapi', auth: anyone, grants: [] },
  { method: 'GET', path: '/docs', file: 'utility/docs', auth: anyone, grants: [] },
  {
    method: 'GET',
    path: '/api/agent/download',
    file: 'utility/download-agent',
    auth: anyone,
    grants: ['artifacts:read'],
    isDirect: true,
  },

  // Authentication
  {
    method: 'POST',
    path: '/api/auth/sign-in/social',
    file: 'auth/sign-in',
    auth: anyone,
    grants: ['table:write', 'codehost:app'],
    limit: 'SIGN_IN',
  },
  {
    method: 'GET',
    path: '/api/auth/callback/{provider}',
    file: 'auth/callback',
    auth: own,
    grants: ['table:write', 'codehost:app', 'secrets:seal'],
    limit: 'SIGN_IN_RETURN',
  },
  {
    method: 'POST',
    path: '/api/auth/sign-out',
    file: 'auth/sign-out',
    auth: own,
    grants: ['table:write'],
    limit: 'SIGN_OUT',
  },
  { method: 'GET', path: '/api/auth/session', file: 'auth/session', auth: own, grants: ['table:read'] },
  { method: 'GET', path: '/api/auth/sessions', file: 'auth/sessions', auth: person, grants: ['table:read'] },
  {
    method: 'DELETE',
    path: '/api/auth/sessions/{sessionId}',
    file: 'auth/end-session',
    auth: person,
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'POST',
    path: '/api/auth/sign-out-everywhere',
    file: 'auth/sign-out-everywhere',
    auth: person,
    grants: ['table:write'],
    limit: 'SIGN_OUT_EVERYWHERE',
  },

  // Users, for superadmins
  { method: 'GET', path: '/api/admin/users', file: 'admin/users', auth: superadmin, grants: ['table:read'] },
  {
    method: 'PATCH',
    path: '/api/admin/users/{userId}',
    file: 'admin/change-user',
    auth: superadmin,
    grants: ['table:write'],
    limit: 'CHANGE',
  },

  // Code hosting
  {
    method: 'GET',
    path: '/api/codehost/installations',
    file: 'codehost/installations',
    auth: person,
    grants: ['table:read'],
  },
  {
    method: 'GET',
    path: '/api/codehost/repositories',
    file: 'codehost/repositories',
    auth: person,
    grants: ['table:write', 'secrets:open', 'secrets:seal', 'codehost:app'],
    limit: 'CODE_HOST',
  },
  {
    method: 'GET',
    path: '/api/codehost/callback',
    file: 'codehost/callback',
    auth: own,
    grants: ['table:write', 'secrets:open', 'secrets:seal', 'codehost:app'],
    limit: 'SIGN_IN_RETURN',
  },

  // Projects
  { method: 'GET', path: '/api/projects', file: 'projects/list', auth: person, grants: ['table:read'] },
  {
    method: 'POST',
    path: '/api/projects',
    file: 'projects/create',
    auth: person,
    grants: ['table:write', 'secrets:open', 'secrets:seal', 'codehost:app'],
    limit: 'PROJECT_CREATE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}',
    file: 'projects/get',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },

  // Tasks
  {
    method: 'GET',
    path: '/api/projects/{projectId}/tasks',
    file: 'tasks/list',
    auth: { kind: 'capability', capability: 'task:read' },
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks',
    file: 'tasks/create',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/tasks/{taskId}',
    file: 'tasks/get',
    auth: { kind: 'capability', capability: 'task:read' },
    grants: ['table:read'],
  },
  {
    method: 'PATCH',
    path: '/api/projects/{projectId}/tasks/{taskId}',
    file: 'tasks/patch',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}/tasks/{taskId}',
    file: 'tasks/delete',
    auth: { kind: 'capability', capability: 'task:write', evenDetached: true },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks/request-upload',
    file: 'tasks/request-upload',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:read', 'uploads:write'],
    limit: 'UPLOAD',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks/submit',
    file: 'tasks/submit',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write', 'saga:run-task'],
    limit: 'TASK_RUN',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks/{taskId}/run',
    file: 'tasks/run',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write', 'saga:run-task'],
    limit: 'TASK_RUN',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks/{taskId}/delegate',
    file: 'tasks/delegate',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write', 'saga:run-task'],
    limit: 'TASK_RUN',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks/{taskId}/cancel',
    file: 'tasks/cancel',
    auth: { kind: 'capability', capability: 'task:write', evenDetached: true },
    grants: ['table:write', 'saga:end-run'],
    limit: 'CHANGE',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks/{taskId}/close',
    file: 'tasks/close',
    auth: { kind: 'capability', capability: 'task:write', evenDetached: true },
    grants: ['table:write', 'saga:end-run'],
    limit: 'CHANGE',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks/{taskId}/status',
    file: 'tasks/status',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write', 'saga:end-run'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/tasks/{taskId}/events',
    file: 'tasks/events',
    auth: { kind: 'capability', capability: 'task:read' },
    grants: ['table:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/tasks/{taskId}/sessions',
    file: 'tasks/sessions',
    auth: { kind: 'capability', capability: 'task:read' },
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks/{taskId}/dependencies',
    file: 'tasks/add-dependency',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}/tasks/{taskId}/dependencies/{dependsOnTaskId}',
    file: 'tasks/remove-dependency',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },

  // Chat sessions
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions',
    file: 'chats/list',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions',
    file: 'chats/create',
    auth: { kind: 'capability', capability: 'workspace:write' },
    grants: ['table:write'],
    limit: 'CHAT_CREATE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{sessionId}',
    file: 'chats/get',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{sessionId}/messages',
    file: 'chats/messages',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{sessionId}/messages/{sequence}/tool-content',
    file: 'chats/tool-content',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read', 'content:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{sessionId}/state',
    file: 'chats/state',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{sessionId}/deliveries',
    file: 'chats/deliveries',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions/{sessionId}/prompt',
    file: 'chats/prompt',
    auth: { kind: 'capability', capability: 'task:write' },
    grants: ['table:write', 'prompts:wake-up'],
    limit: 'PROMPT',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions/{sessionId}/cancel',
    file: 'chats/cancel',
    auth: { kind: 'capability', capability: 'task:write', evenDetached: true },
    grants: ['table:read', 'tokens:sign'],
    limit: 'AGENT_CONTROL',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/sessions/{sessionId}/stop',
    file: 'chats/stop',
    auth: { kind: 'capability', capability: 'task:write', evenDetached: true },
    grants: ['table:write', 'tokens:sign', 'saga:delete-workspace', 'prompts:wake-up'],
    limit: 'AGENT_CONTROL',
  },

  {
    method: 'PATCH',
    path: '/api/projects/{projectId}',
    file: 'projects/change',
    auth: { kind: 'capability', capability: 'project:update' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}',
    file: 'projects/detach',
    auth: { kind: 'capability', capability: 'project:delete', evenDetached: true },
    grants: ['table:write'],
    limit: 'CHANGE',
  },

  // Members
  {
    method: 'GET',
    path: '/api/projects/{projectId}/members',
    file: 'members/list',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'PATCH',
    path: '/api/projects/{projectId}/members/{userId}',
    file: 'members/change',
    auth: { kind: 'capability', capability: 'member:manage' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}/members/{userId}',
    file: 'members/remove',
    auth: { kind: 'capability', capability: 'member:manage', evenDetached: true },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/leave',
    file: 'members/leave',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/invites',
    file: 'invites/list',
    auth: { kind: 'capability', capability: 'member:manage', evenDetached: true },
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/invites',
    file: 'invites/create',
    auth: { kind: 'capability', capability: 'member:manage' },
    grants: ['table:write'],
    limit: 'INVITE_CREATE',
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}/invites/{inviteId}',
    file: 'invites/revoke',
    auth: { kind: 'capability', capability: 'member:manage', evenDetached: true },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'POST',
    path: '/api/invites/accept',
    file: 'invites/accept',
    auth: person,
    grants: ['table:write'],
    limit: 'INVITE_ACCEPT',
  },

  // Agent profiles, skills, and a person's own settings
  {
    method: 'GET',
    path: '/api/projects/{projectId}/agent-profiles',
    file: 'profiles/list',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/agent-profiles',
    file: 'profiles/create',
    auth: { kind: 'capability', capability: 'project:update' },
    grants: ['table:write', 'secrets:seal'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/agent-profiles/{profileId}',
    file: 'profiles/get',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'PATCH',
    path: '/api/projects/{projectId}/agent-profiles/{profileId}',
    file: 'profiles/change',
    auth: { kind: 'capability', capability: 'project:update' },
    grants: ['table:write', 'secrets:seal'],
    limit: 'CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}/agent-profiles/{profileId}',
    file: 'profiles/remove',
    auth: { kind: 'capability', capability: 'project:update', evenDetached: true },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/skills',
    file: 'skills/list',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/skills',
    file: 'skills/create',
    auth: { kind: 'capability', capability: 'project:update' },
    grants: ['table:write', 'secrets:seal'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/skills/{skillId}',
    file: 'skills/get',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'PATCH',
    path: '/api/projects/{projectId}/skills/{skillId}',
    file: 'skills/change',
    auth: { kind: 'capability', capability: 'project:update' },
    grants: ['table:write', 'secrets:seal'],
    limit: 'CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}/skills/{skillId}',
    file: 'skills/remove',
    auth: { kind: 'capability', capability: 'project:update', evenDetached: true },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/settings/agents',
    file: 'settings/agents',
    auth: person,
    grants: ['table:read'],
  },
  {
    method: 'PUT',
    path: '/api/settings/agents',
    file: 'settings/store-agents',
    auth: person,
    grants: ['table:write'],
    limit: 'CHANGE',
  },

  // Files and git of the workspace behind a chat session
  ...(['list', 'view', 'raw', 'download', 'find'] as const).map((name) => fileRoute('GET', `files/${name}`)),
  fileRoute('POST', 'files/upload'),
  fileRoute('POST', 'files/upload-address'),
  fileRoute('GET', 'git/status'),
  fileRoute('GET', 'git/diff'),

  // Credentials
  {
    method: 'POST',
    path: '/api/credentials',
    file: 'credentials/store',
    auth: person,
    grants: ['table:write', 'secrets:seal'],
    limit: 'CREDENTIAL_UPDATE',
  },
  { method: 'GET', path: '/api/credentials', file: 'credentials/list', auth: person, grants: ['table:read'] },
  {
    method: 'DELETE',
    path: '/api/credentials/{provider}',
    file: 'credentials/remove',
    auth: person,
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/credentials',
    file: 'credentials/store-for-project',
    auth: { kind: 'capability', capability: 'secret:write' },
    grants: ['table:write', 'secrets:seal'],
    limit: 'CREDENTIAL_UPDATE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/credentials',
    file: 'credentials/list-of-project',
    auth: { kind: 'capability', capability: 'secret:read' },
    grants: ['table:read'],
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}/credentials/{provider}',
    file: 'credentials/remove-of-project',
    auth: { kind: 'capability', capability: 'secret:write', evenDetached: true },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/personal-credentials',
    file: 'credentials/personal',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'PUT',
    path: '/api/projects/{projectId}/personal-credentials',
    file: 'credentials/allow-personal',
    auth: { kind: 'capability', capability: 'workspace:write' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}/personal-credentials',
    file: 'credentials/refuse-personal',
    auth: { kind: 'capability', capability: 'project:read', evenDetached: true },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'GET',
    path: '/api/projects/{projectId}/sessions/{sessionId}/usage',
    file: 'credentials/usage-of-session',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/admin/credentials',
    file: 'credentials/store-for-platform',
    auth: superadmin,
    grants: ['table:write', 'secrets:seal'],
    limit: 'CREDENTIAL_UPDATE',
  },
  {
    method: 'GET',
    path: '/api/admin/credentials',
    file: 'credentials/list-of-platform',
    auth: superadmin,
    grants: ['table:read'],
  },
  {
    method: 'DELETE',
    path: '/api/admin/credentials/{provider}',
    file: 'credentials/remove-of-platform',
    auth: superadmin,
    grants: ['table:write'],
    limit: 'CHANGE',
  },

  // Workspaces
  {
    method: 'POST',
    path: '/api/workspaces',
    file: 'workspaces/create',
    auth: person,
    grants: ['table:write', 'secrets:open', 'secrets:seal', 'codehost:app', 'saga:provision-workspace'],
    limit: 'WORKSPACE_CREATE',
  },
  { method: 'GET', path: '/api/workspaces', file: 'workspaces/list', auth: person, grants: ['table:read'] },
  {
    method: 'GET',
    path: '/api/workspaces/{workspaceId}',
    file: 'workspaces/get',
    auth: workspaceOwner,
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/stop',
    file: 'workspaces/stop',
    auth: workspaceOwner,
    grants: ['table:write', 'saga:stop-workspace', 'sagas:answer'],
    limit: 'WORKSPACE_CHANGE',
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/restart',
    file: 'workspaces/restart',
    auth: workspaceOwner,
    grants: ['table:write', 'secrets:open', 'secrets:seal', 'codehost:app', 'saga:provision-workspace'],
    limit: 'WORKSPACE_CHANGE',
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/rebuild',
    file: 'workspaces/rebuild',
    auth: workspaceOwner,
    grants: [
      'table:write',
      'tokens:sign',
      'secrets:open',
      'secrets:seal',
      'codehost:app',
      'saga:provision-workspace',
    ],
    limit: 'WORKSPACE_CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/workspaces/{workspaceId}',
    file: 'workspaces/delete',
    auth: workspaceOwner,
    grants: ['table:write', 'tokens:sign', 'saga:delete-workspace', 'sagas:answer'],
    limit: 'WORKSPACE_CHANGE',
  },
  {
    method: 'GET',
    path: '/api/workspaces/{workspaceId}/boot-log',
    file: 'workspaces/boot-log',
    auth: workspaceOwner,
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/agent-sessions',
    file: 'agent-sessions/create',
    auth: workspaceOwner,
    grants: ['table:write', 'tokens:sign'],
    limit: 'AGENT_CONTROL',
  },
  {
    method: 'GET',
    path: '/api/workspaces/{workspaceId}/agent-sessions',
    file: 'agent-sessions/list',
    auth: workspaceOwner,
    grants: ['table:read'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/agent-sessions/{sessionId}/stop',
    file: 'agent-sessions/stop',
    auth: workspaceOwner,
    grants: ['table:write', 'tokens:sign'],
    limit: 'AGENT_CONTROL',
  },
  {
    method: 'POST',
    path: '/api/terminal/token',
    file: 'terminal/token',
    auth: person,
    grants: ['table:write', 'tokens:sign'],
    limit: 'TERMINAL_TOKEN',
  },

  // Nodes
  { method: 'GET', path: '/api/nodes', file: 'nodes/list', auth: person, grants: ['table:read'] },
  { method: 'GET', path: '/api/nodes/{nodeId}', file: 'nodes/get', auth: nodeOwner, grants: ['table:read'] },
  {
    method: 'POST',
    path: '/api/nodes/{nodeId}/stop',
    file: 'nodes/stop',
    auth: nodeOwner,
    grants: ['table:write', 'saga:remove-node'],
    limit: 'WORKSPACE_CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/nodes/{nodeId}',
    file: 'nodes/delete',
    auth: nodeOwner,
    grants: ['table:write', 'saga:remove-node'],
    limit: 'WORKSPACE_CHANGE',
  },

  // Callbacks of node agents
  {
    method: 'POST',
    path: '/api/bootstrap',
    file: 'callbacks/bootstrap',
    auth: own,
    grants: ['table:write', 'tokens:sign', 'sagas:answer'],
    limit: 'BOOTSTRAP',
    isDirect: true,
  },
  {
    method: 'POST',
    path: '/api/nodes/{nodeId}/ready',
    file: 'callbacks/node-ready',
    auth: node,
    grants: ['table:write', 'tokens:verify', 'sagas:answer'],
  },
  {
    method: 'POST',
    path: '/api/nodes/{nodeId}/heartbeat',
    file: 'callbacks/node-heartbeat',
    auth: node,
    grants: ['table:write', 'tokens:verify', 'tokens:sign'],
    limit: 'HEARTBEAT',
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/ready',
    file: 'callbacks/workspace-ready',
    auth: workspace,
    grants: ['table:write', 'tokens:verify', 'sagas:answer'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/progress',
    file: 'callbacks/workspace-progress',
    auth: workspace,
    grants: ['table:read', 'tokens:verify', 'sagas:answer'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/provisioning-failed',
    file: 'callbacks/provisioning-failed',
    auth: workspace,
    grants: ['table:write', 'tokens:verify', 'sagas:answer'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/boot-log',
    file: 'callbacks/boot-log',
    auth: workspace,
    grants: ['table:write', 'tokens:verify', 'sagas:answer'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/git-token',
    file: 'callbacks/git-token',
    auth: workspace,
    grants: ['table:write', 'tokens:verify', 'secrets:open', 'secrets:seal', 'codehost:app'],
    limit: 'GIT_TOKEN',
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/messages',
    file: 'callbacks/messages',
    auth: workspace,
    grants: ['table:write', 'tokens:verify', 'content:keep', 'prompts:wake-up', 'saga:end-run'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/message-content',
    file: 'callbacks/message-content',
    auth: workspace,
    grants: ['table:read', 'tokens:verify', 'content:upload'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/tasks/{taskId}/status/callback',
    file: 'tasks/status-callback',
    auth: { kind: 'agentCallback' },
    grants: ['table:write', 'tokens:verify', 'saga:end-run'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/node-acp-heartbeat',
    file: 'callbacks/node-acp-heartbeat',
    auth: { kind: 'anyCallback' },
    grants: ['table:write', 'tokens:verify'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/acp-sessions/{sessionId}/activity',
    file: 'callbacks/agent-activity',
    auth: { kind: 'agentCallback' },
    grants: ['table:write', 'tokens:verify', 'prompts:wake-up', 'saga:end-run'],
  },
  {
    method: 'POST',
    path: '/api/projects/{projectId}/acp-sessions/{sessionId}/usage',
    file: 'callbacks/agent-usage',
    auth: { kind: 'agentCallback' },
    grants: ['table:write', 'tokens:verify'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/agent-key',
    file: 'callbacks/agent-key',
    auth: workspace,
    grants: ['table:write', 'tokens:verify', 'secrets:open'],
    limit: 'AGENT_SECRETS',
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/agent-settings',
    file: 'callbacks/agent-settings',
    auth: workspace,
    grants: ['table:read', 'tokens:verify'],
  },
  {
    method: 'GET',
    path: '/api/workspaces/{workspaceId}/runtime-assets',
    file: 'callbacks/runtime-assets',
    auth: workspace,
    grants: ['table:read', 'tokens:verify', 'secrets:open'],
    limit: 'AGENT_SECRETS',
  },
  {
    method: 'GET',
    path: '/api/workspaces/{workspaceId}/runtime',
    file: 'callbacks/workspace-runtime',
    auth: workspace,
    grants: ['table:read', 'tokens:verify'],
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/agent-credential-sync',
    file: 'callbacks/agent-credential-sync',
    auth: workspace,
    grants: ['table:write', 'tokens:verify', 'secrets:open', 'secrets:seal'],
    limit: 'AGENT_SECRETS',
  },
  {
    method: 'POST',
    path: '/api/workspaces/{workspaceId}/callback-token/renew',
    file: 'callbacks/renew-token',
    auth: workspace,
    grants: ['table:read', 'tokens:verify', 'tokens:sign'],
    limit: 'TOKEN_RENEWAL',
  },

  // Tools of agents
  {
    method: 'POST',
    path: '/mcp',
    file: 'mcp/call',
    auth: { kind: 'mcp' },
    grants: ['table:write', 'saga:run-task', 'saga:end-run', 'prompts:wake-up'],
    limit: 'MCP',
  },
];

/** Answers whatever no row above matches, in the shape of every other error. */
export const fallback: FallbackRoute = {
  method: 'ANY',
  path: '/{path+}',
  file: 'utility/not-found',
  auth: anyone,
  grants: [],
};
