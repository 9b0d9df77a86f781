import type { Route } from '../../route-row.js';

export const routes: readonly Route[] = [
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
];
