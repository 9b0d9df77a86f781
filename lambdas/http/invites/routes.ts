import { person, type Route } from '../../route-row.js';

export const routes: readonly Route[] = [
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
];
