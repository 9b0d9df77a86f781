import type { Route } from '../../route-row.js';

export const routes: readonly Route[] = [
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
];
