import { person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
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
  {
    method: 'GET',
    path: '/api/projects/{projectId}/credential-limits',
    file: 'projects/credential-limits',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:read'],
  },
];
