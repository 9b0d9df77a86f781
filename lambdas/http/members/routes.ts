import type { Route } from '../../route-row.js';

export const routes: readonly Route[] = [
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
    path: '/api/projects/{projectId}/members/{userId}/accept-ownership',
    file: 'members/accept-ownership',
    auth: { kind: 'capability', capability: 'project:read' },
    grants: ['table:write'],
    limit: 'CHANGE',
  },
  {
    method: 'DELETE',
    path: '/api/projects/{projectId}/members/{userId}/ownership-offer',
    file: 'members/end-ownership-offer',
    auth: { kind: 'capability', capability: 'project:read', evenDetached: true },
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
];
